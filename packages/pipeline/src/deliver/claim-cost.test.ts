import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { openDatabase, type Database, type Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { lowestIdAt, newId } from '@callout/database/schema/ids';
import { applyMigrations } from '@callout/database/schema/migrations';
import { statements } from '@callout/database/connection/statement/statement';
import '../notify/store/overdue.ts';
import '../pull/pull-leases.ts';
import './claim.ts';
import '../limits/release-held.ts';
import '../sweep/find-due.ts';

const backlog = 5_000;
const webhooks = 10;

let disposable: DisposableDatabase;
let database: Database;
let keys: number[];

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  database = openDatabase({ url: disposable.url, poolSize: 1, applicationName: 'test', onError: () => undefined });
  const tenantId = await insertTenant(database.pool);
  keys = [];
  for (let id = 1; id <= webhooks; id += 1) keys.push(await insertWebhook(database.pool, tenantId, id));
});

afterAll(async () => {
  await database.close();
  await disposable.drop();
});

/** Stores a number of due callouts for each webhook, or callouts that wait for their next attempt. */
async function fill(of: { count: number; dueInS: number }): Promise<void> {
  const ids = Array.from({ length: of.count * keys.length }, () => newId());
  await database.pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
     SELECT id, 1, ($2::bigint[])[1 + n % cardinality($2::bigint[])], 'Account', n, 'Update', n, 'due', now() + $3 * interval '1 second'
     FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, n)`,
    [ids, keys, of.dueInS],
  );
}

/**
 * Counts the rows of open callouts that a statement reads, with the plan that PostgreSQL's current statistics lead to.
 */
async function rowsRead(name: string, values: unknown[]): Promise<number> {
  return inTransaction(database.pool, async (transaction) => {
    const before = await rowsReadSoFar(transaction);
    await transaction.query({ text: statements.get(name) ?? '', values });
    const after = await rowsReadSoFar(transaction);
    await transaction.query('ROLLBACK');
    await transaction.query('BEGIN');
    return after - before;
  });
}

async function rowsReadSoFar(transaction: Transaction): Promise<number> {
  const { rows } = await transaction.query<{ read: number }>(
    `SELECT (coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0))::int AS read FROM pg_stat_xact_user_tables
     WHERE relname = 'open_callouts'`,
  );
  return rows[0]?.read ?? 0;
}

const claim = (slots: number) => rowsRead('delivery_claim', [keys, keys.map(() => slots), newId(), 60_000]);
const sweep = () => rowsRead('sweep_find_due', [0, 100]);

describe.each([
  ['has never been analyzed', async () => undefined],
  ['was empty when it was analyzed', () => database.pool.query('ANALYZE open_callouts')],
  [
    'had one callout of each webhook when it was analyzed',
    async () => {
      await fill({ count: 1, dueInS: -60 });
      await database.pool.query('ANALYZE open_callouts');
    },
  ],
  [
    'had the backlog when it was analyzed',
    async () => {
      await fill({ count: backlog / webhooks, dueInS: -60 });
      await database.pool.query('ANALYZE open_callouts');
    },
  ],
])('with a backlog, and a table that %s', (_title, prepare) => {
  beforeAll(async () => {
    await database.pool.query('TRUNCATE open_callouts');
    await prepare();
    await fill({ count: backlog / webhooks, dueInS: -60 });
  });

  it('a claim reads only the rows that it claims', async () => {
    const read = await claim(2);
    expect(read).toBeGreaterThanOrEqual(2 * webhooks);
    expect(read).toBeLessThanOrEqual(6 * webhooks);
  });

  it('a claim for the probes of paused receivers reads one row of each', async () => {
    await database.pool.query(
      `INSERT INTO webhook_health (webhook_key, pauses, paused_until)
       SELECT key, 1, now() - interval '1 second' FROM unnest($1::bigint[]) AS key`,
      [keys],
    );
    const read = await claim(2);
    await database.pool.query('DELETE FROM webhook_health');
    expect(read).toBeGreaterThanOrEqual(webhooks);
    expect(read).toBeLessThanOrEqual(6 * webhooks);
  });

  it('a claim for the probes of failing receivers reads some rows of each', async () => {
    await database.pool.query("UPDATE open_callouts SET due_at = now() + interval '1 hour', attempts_made = 1");
    await database.pool.query(
      `INSERT INTO webhook_health (webhook_key, probe_at) SELECT key, now() FROM unnest($1::bigint[]) AS key`,
      [keys],
    );
    const read = await claim(2);
    await database.pool.query('DELETE FROM webhook_health');
    await database.pool.query('UPDATE open_callouts SET due_at = now(), attempts_made = 0');
    expect(read).toBeGreaterThanOrEqual(webhooks);
    expect(read).toBeLessThanOrEqual(6 * webhooks);
  });

  it('neither a claim nor the sweep reads anything of webhooks whose own rate allows no call yet', async () => {
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = 0.1');
    await database.pool.query(
      "INSERT INTO webhook_rates SELECT key, now() + interval '1 hour' FROM unnest($1::bigint[]) AS key",
      [keys],
    );
    const read = [await claim(2), await sweep()];
    await database.pool.query('DELETE FROM webhook_rates');
    const open = await claim(2);
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = NULL');
    expect(read[0]).toBe(0);
    // It steps from webhook to webhook.
    expect(read[1]).toBeLessThanOrEqual(2 * webhooks);
    expect(open).toBe(0);
  });

  it('a claim reads only what the rates of webhooks allow', async () => {
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = 0.1, max_concurrent_calls = 5');
    await database.pool.query('INSERT INTO webhook_rates (webhook_key) SELECT unnest($1::bigint[])', [keys]);
    const read = await claim(100);
    await database.pool.query('DELETE FROM webhook_rates');
    await database.pool.query('UPDATE webhooks SET max_calls_per_second = NULL, max_concurrent_calls = NULL');
    expect(read).toBeGreaterThanOrEqual(webhooks);
    expect(read).toBeLessThanOrEqual(4 * webhooks);
  });

  it('the sweep reads a few rows of each webhook', async () => {
    const read = await sweep();
    expect(read).toBeGreaterThanOrEqual(webhooks);
    expect(read).toBeLessThanOrEqual(6 * webhooks);
  });

  it('callouts that are due later are not read', async () => {
    await database.pool.query("UPDATE open_callouts SET due_at = now() + interval '1 hour'");
    expect(await sweep()).toBeLessThanOrEqual(6 * webhooks);
    expect(await claim(2)).toBeLessThanOrEqual(6 * webhooks);
  });
});

it('a release reads nothing that is held by webhooks whose own rate allows no call yet', async () => {
  await database.pool.query('TRUNCATE open_callouts');
  await fill({ count: backlog / webhooks, dueInS: -60 });
  await database.pool.query("UPDATE open_callouts SET state = 'held'");
  await database.pool.query('ANALYZE open_callouts');
  await database.pool.query(
    "INSERT INTO threshold_episode_webhooks SELECT tenant_id, 'Account', key, 1 FROM webhooks ON CONFLICT DO NOTHING",
  );
  const { rows } = await database.pool.query<{ id: number }>('SELECT tenant_id AS id FROM webhooks LIMIT 1');
  const release = () => rowsRead('threshold_find_held', [rows[0]?.id, 'Account', 1_500, 200, null]);
  await database.pool.query('UPDATE webhooks SET max_calls_per_second = 0.1');
  await database.pool.query("INSERT INTO webhook_rates SELECT key, now() + interval '1 hour' FROM webhooks");
  const closed = await release();
  await database.pool.query("UPDATE webhook_rates SET next_call_at = now() - interval '1 hour'");
  const open = await release();
  await database.pool.query('UPDATE webhooks SET max_calls_per_second = NULL');
  await database.pool.query('DELETE FROM webhook_rates');
  expect(closed).toBe(0);
  expect(open).toBeGreaterThanOrEqual(webhooks);
  expect(open).toBeLessThanOrEqual(4 * webhooks);
});

it('the search for a callout that waits for a worker reads the first of each webhook', async () => {
  await database.pool.query('TRUNCATE open_callouts');
  await fill({ count: backlog / webhooks, dueInS: -60 });
  const read = await rowsRead('overdue_callout', [1_000, 100]);
  expect(read).toBeGreaterThanOrEqual(webhooks);
  expect(read).toBeLessThanOrEqual(110 * webhooks);
});

it('the search for stale pulled callouts reads none that are younger', async () => {
  await database.pool.query('TRUNCATE open_callouts');
  await database.pool.query("UPDATE webhooks SET webhook_url = 'pull:', delivery_mode = 'pull'");
  await fill({ count: backlog / webhooks, dueInS: -60 });
  await database.pool.query(
    `INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action)
     SELECT callout_id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action FROM open_callouts`,
  );
  const hourAgo = lowestIdAt(new Date(Date.now() - 3_600_000));
  expect(await rowsRead('pull_take_stale', [hourAgo, 3_600_000, newId(), 60_000, 200])).toBeLessThanOrEqual(webhooks);
});
