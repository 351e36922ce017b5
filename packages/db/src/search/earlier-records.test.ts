import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { parseQuery } from '@callout/core';
import { companies } from '@callout/core/fixtures';
import { createDisposableDatabase } from '@callout/local';
import { openDatabase } from '../connection/database.ts';
import { insertTenant } from '../fixtures/tenant.ts';
import { applyMigrations } from '../schema/migrations.ts';
import { createRecordSearch } from './record-search.ts';

const migrations = path.resolve(import.meta.dirname, '../../../../prisma/migrations');
const adding = '20261121000000_search';

/** Applies the migrations that came before the one that adds the folded copies. */
async function applyEarlierMigrations(databaseUrl: string): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'callout-migrations-'));
  try {
    const names = (await readdir(migrations)).filter((name) => name < adding);
    for (const name of names) await cp(path.join(migrations, name), path.join(directory, name), { recursive: true });
    await applyMigrations(databaseUrl, { directory });
  } finally {
    await rm(directory, { recursive: true });
  }
}

it('records that were stored before there were folded copies are found too', async () => {
  const disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  await applyEarlierMigrations(disposable.url);
  const database = openDatabase({
    url: disposable.url,
    poolSize: 2,
    applicationName: 'test',
    onError: () => undefined,
  });
  const tenantId = await insertTenant(database.pool);
  await database.pool.query(
    `INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, deleted_at) VALUES
     ($1, 'Account', 1, 1, '{"companyName":"ACME","phone":null}', '{"4":"North"}', NULL),
     ($1, 'Account', 2, 1, '{"companyName":"Acme"}', '{}', now()), ($1, 'Account', 3, 1, '{}', '{}', NULL)`,
    [tenantId],
  );

  expect(await applyMigrations(disposable.url)).toContain(adding);
  const search = createRecordSearch({ pool: database.pool, timeoutMs: 20_000 });
  const found = async (...filter: unknown[]) => {
    const { items } = await search.page({ tenantId, entityType: 'Account' }, parseQuery({ filter }, companies), null);
    return items.map(({ id }) => id);
  };
  expect(await found()).toEqual([1, 3]);
  expect(await found({ op: 'eq', field: 'companyName', value: 'acme' })).toEqual([1]);
  expect(await found({ op: 'eq', field: 'Region', udf: true, value: 'NORTH' })).toEqual([1]);
  expect(await found({ op: 'notExist', field: 'phone' })).toEqual([1, 3]);
  const { rows } = await database.pool.query('SELECT folded FROM records WHERE tenant_id = $1 ORDER BY id', [tenantId]);
  const first = { [`${tenantId}/Account`]: { companyName: 'acme', 'udf:4': 'north' } };
  expect(rows).toEqual([{ folded: first }, { folded: {} }, { folded: {} }]);
  await database.close();
  await disposable.drop();
});
