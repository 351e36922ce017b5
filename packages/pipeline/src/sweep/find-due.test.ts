import { beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase } from '@callout/local/test-run';
import type { Transaction } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { insertTenant, insertWebhook } from '@callout/database/fixtures/tenant';
import { useDatabase } from '@callout/database/fixtures/own-database';
import { webhooksWithDueCallouts } from './find-due.ts';

const WEBHOOKS = 2_500;
const PAGE = 100;

const database = useDatabase(createDisposableDatabase);
/** All webhooks with due callouts, in order. */
let keys: number[];

beforeAll(async () => {
  keys = await insertWebhooks();
  await database.pool.query(
    `INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, sequence_number, state, due_at)
     SELECT gen_random_uuid(), 1, webhook, 'Account', n, 'Update', n, 'due', now() - interval '1 second'
     FROM unnest($1::bigint[]) AS webhook, generate_series(1, 3) AS n`,
    [keys],
  );
  await database.pool.query('ANALYZE open_callouts');
});

it('finding due callouts returns all of many webhooks, page by page, in order', async () => {
  const found: number[] = [];
  for (let after = 0, isOver = false; !isOver; after = found.at(-1) ?? 0) {
    const page = await webhooksWithDueCallouts(database.pool, after, PAGE);
    found.push(...page);
    isOver = page.length < PAGE;
  }
  expect(found).toEqual(keys);
});

it('finding due callouts reads no further than the requested page', async () => {
  const scans = await inTransaction(database.pool, async (transaction) => {
    const before = await scansSoFar(transaction);
    await webhooksWithDueCallouts(transaction, 0, PAGE);
    return (await scansSoFar(transaction)) - before;
  });
  // One step and one read for each webhook of the page, and not for all webhooks.
  expect(scans).toBeGreaterThan(PAGE);
  expect(scans).toBeLessThan(PAGE * 3);
});

/** Creates the first as a user does, and copies it. */
async function insertWebhooks(): Promise<number[]> {
  const first = await insertWebhook(database.pool, await insertTenant(database.pool), 1);
  const { rows } = await database.pool.query<{ key: number }>(
    `INSERT INTO webhooks (tenant_id, entity_type, id, guid, name, webhook_url, deactivation_url, is_active,
       is_subscribed_to_create_events, is_subscribed_to_update_events, is_subscribed_to_delete_events,
       send_threshold_exceeded_notification, owner_resource_id, secret_key_id, secret_nonce, secret_ciphertext)
     SELECT tenant_id, entity_type, n, gen_random_uuid(), name, webhook_url, deactivation_url, is_active, true, true, true,
       false, owner_resource_id, '', '', '' FROM webhooks, generate_series(2, $1) AS n WHERE key = $2 RETURNING key`,
    [WEBHOOKS, first],
  );
  return [first, ...rows.map(({ key }) => key)].toSorted((a, b) => a - b);
}

async function scansSoFar(transaction: Transaction): Promise<number> {
  const { rows } = await transaction.query<{ scans: number }>(
    "SELECT coalesce(idx_scan, 0)::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'open_callouts'",
  );
  return rows[0]?.scans ?? 0;
}
