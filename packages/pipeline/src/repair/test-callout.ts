import type { Action } from '@callout/domain/event';
import type { Client } from '@callout/database/connection/database';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { newId } from '@callout/database/schema/ids';
import type { CalloutState } from '@callout/domain/callout/callout-filter';
import { statement } from '@callout/database/connection/statement/statement';
import type { WebhookAddress } from '@callout/database/locked-webhook';
import { lockActiveWebhook, type RepairDeps } from './repairs.ts';

/** A sample callout, as requested by an integrator. */
export interface NewTest {
  action: Action;
  /** Makes its body, which may contain its id. */
  bodyOf: (calloutId: string) => string;
}

/** The result of a test so far. */
export interface TestResult {
  state: CalloutState;
  /** Its only attempt; null when it is not made yet. */
  attempt: TestAttempt | null;
}

export interface TestAttempt {
  startedAt: Date;
  durationMs: number;
  url: string;
  /** Null when there was no response. */
  status: number | null;
  responseHeaders: Readonly<Record<string, string>> | null;
  /** Why it was not delivered, as a sentence. */
  failure: string | null;
}

// Neither record nor number, so it waits for no callout and no callout waits for it.
const store = statement(
  'repair_store_test',
  `WITH history AS (
     INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
     VALUES ($1, $2, $3, 0, $4, 0, $5, 'test')
   ), bodies AS (
     INSERT INTO callout_bodies (callout_id, body) VALUES ($1, $6)
   )
   INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
     state, due_at, body_bytes)
   VALUES ($1, $2, $3, $4, 0, $5, 'test', 0, 'due', now(), octet_length($6))`,
);

/**
 * Stores a test, due now, and enqueues its webhook.
 * @returns its id.
 * @throws a Problem: `notFound` without such a webhook, `conflict` when it is inactive.
 */
export async function storeTest(
  { database: { pool }, enqueueDeliver }: RepairDeps,
  address: WebhookAddress,
  { action, bodyOf }: NewTest,
): Promise<string> {
  const id = newId();
  const key = await inTransaction(pool, async (transaction) => {
    const webhook = await lockActiveWebhook(transaction, address);
    await store(transaction, [id, address.tenantId, webhook.key, address.entityType, action, bodyOf(id)]);
    return webhook.key;
  });
  enqueueDeliver([key]);
  return id;
}

const readState = statement<{ state: CalloutState }>(
  'repair_read_test_state',
  `SELECT coalesce((SELECT o.state FROM open_callouts o WHERE o.callout_id = c.id), c.state) AS state
   FROM callouts c WHERE c.id = $1`,
);

// The end of a callout and its attempt are stored by one transaction.
const readAttempt = statement<TestAttempt>(
  'repair_read_test_attempt',
  `SELECT started_at AS "startedAt", duration_ms AS "durationMs", url, status,
     response_headers AS "responseHeaders", failure FROM attempts
   WHERE callout_id = $1 AND id >= $1 ORDER BY number LIMIT 1`,
);

/** The result of a test so far; called repeatedly, so it reads no more than necessary. */
export async function readTestResult(client: Client, calloutId: string): Promise<TestResult> {
  const [callout] = await readState(client, [calloutId]);
  if (callout === undefined) throw new Error(`there is no test ${calloutId}`);
  if (callout.state === 'due') return { state: 'due', attempt: null };
  const [attempt] = await readAttempt(client, [calloutId]);
  return { state: callout.state, attempt: attempt ?? null };
}
