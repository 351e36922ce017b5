import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local';
import { inTransaction, openDatabase, type Database, type Transaction } from '../database.ts';
import { applyMigrations } from '../migrations.ts';
import { webhooksWithDueCallouts } from './sweep.ts';

const WEBHOOKS = 2_500;
const PAGE = 100;

let disposable: DisposableDatabase;
let database: Database;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 2, applicationName: 'test', onError: () => undefined });
  await database.pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
     SELECT gen_random_uuid(), 1, webhook, 'Account', n, 'Update', n, 'due', now() - interval '1 second'
     FROM generate_series(1, $1) AS webhook, generate_series(1, 3) AS n`,
    [WEBHOOKS],
  );
  await database.pool.query('ANALYZE open_callouts');
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

it('finds all of many webhooks, page after page, in order', async () => {
  const found: number[] = [];
  for (let after = 0, isOver = false; !isOver; after = found.at(-1) ?? 0) {
    const page = await webhooksWithDueCallouts(database.pool, after, PAGE);
    found.push(...page);
    isOver = page.length < PAGE;
  }
  expect(found).toEqual(Array.from({ length: WEBHOOKS }, (_, nth) => nth + 1));
});

it('looks no further than the page it was asked for', async () => {
  const scans = await inTransaction(database.pool, async (transaction) => {
    const before = await scansSoFar(transaction);
    await webhooksWithDueCallouts(transaction, 0, PAGE);
    return (await scansSoFar(transaction)) - before;
  });
  // One step and one look at each webhook, and not at all of them.
  expect(scans).toBeGreaterThan(PAGE);
  expect(scans).toBeLessThan(PAGE * 3);
});

async function scansSoFar(transaction: Transaction): Promise<number> {
  const { rows } = await transaction.query<{ scans: number }>(
    "SELECT coalesce(idx_scan, 0)::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'open_callouts'",
  );
  return rows[0]?.scans ?? 0;
}
