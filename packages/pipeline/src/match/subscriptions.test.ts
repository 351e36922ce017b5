import { expect, it, jest } from '@jest/globals';
import { buildCatalogue } from '@callout/domain/catalogue/catalogue';
import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { QueryConfig } from 'pg';
import { type Client } from '@callout/database/connection/database';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { createSubscriptionReader, groupKeyOf, readGroupVersions } from './load.ts';

const database = useDatabase(createDisposableDatabase);

it('no webhook is left out when a concurrent match replaces the cached subscriptions', async () => {
  const read = createSubscriptionReader(buildCatalogue([]), { maxKept: 2, maxBytes: 1_000_000 });
  const group = async (webhooks: number) => {
    const tenantId = await insertTenant(database.pool);
    const keys: number[] = [];
    for (let id = 1; id <= webhooks; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
    return { tenantId, entityType: 'Account', keys };
  };
  const [mine, other] = [await group(2), await group(2)];
  await read(database.pool, [await readGroupVersions(database.pool, mine)]);
  await database.pool.query('UPDATE webhooks SET version = version + 1 WHERE key = $1', [mine.keys[1]]);
  let statements = 0;
  // Before the stale subscription of one is read, the other reads its own, and fills the whole cache.
  const interrupted = {
    query: async (config: QueryConfig) => {
      statements += 1;
      if (statements === 1) await read(database.pool, [await readGroupVersions(database.pool, other)]);
      return database.pool.query(config);
    },
  } as unknown as Client;
  const versions = await readGroupVersions(database.pool, mine);
  const subscriptions = (await read(interrupted, [versions])).get(groupKeyOf(mine)) ?? [];
  expect(subscriptions.map(({ webhookKey }) => webhookKey)).toEqual(mine.keys);
});

it('webhooks with costly conditions of one tenant take no more memory than they may, and none that others need', async () => {
  const { pool } = database;
  const catalogue = parseCatalogue(await readCatalogueFiles(ownCatalogueDir, ownCatalogueDir));
  const read = createSubscriptionReader(catalogue, { maxKept: 1_000, maxBytes: 2_000_000 });
  const items = Array.from({ length: 50 }, (_, nth) => ({
    op: 'contains',
    field: 'companyName',
    value: String(nth).padEnd(250, 'x'),
  }));
  const group = async (webhooks: number, condition: string | null) => {
    const tenantId = await insertTenant(pool);
    for (let id = 1; id <= webhooks; id += 1) await insertWebhook(pool, tenantId, id);
    await pool.query('UPDATE webhooks SET condition = $2 WHERE tenant_id = $1', [tenantId, condition]);
    return { tenantId, entityType: 'Account' };
  };
  const statementsFor = async (one: { tenantId: number; entityType: string }) => {
    const versions = await readGroupVersions(pool, one);
    const query = jest.fn((config: QueryConfig) => pool.query(config));
    await read({ query } as unknown as Client, [versions]);
    return query.mock.calls.length;
  };
  const [usual, costly] = [await group(20, null), await group(40, JSON.stringify({ op: 'or', items }))];
  expect(await statementsFor(usual)).toBe(1);
  // Each takes a hundred kilobytes and more, so not all of them are kept.
  expect([await statementsFor(costly), await statementsFor(costly)]).toEqual([1, 1]);
  expect(await statementsFor(usual)).toBe(0);
});
