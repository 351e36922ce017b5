import type { Pool } from 'pg';
import { inTransaction } from '../database.ts';
import { columns, statement } from '../statement.ts';

/** One attempt and what follows from it. */
export interface Settlement {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  recordId: number;
  /** The lease under which the attempt was made. */
  leaseOwner: string;
  attempt: AttemptRow;
  next: { kind: 'ended'; state: 'delivered' | 'failed' } | { kind: 'retry'; waitMs: number };
}

/** Both sides of one exchange. */
export interface AttemptRow {
  id: string;
  /** 1 for the first. */
  number: number;
  startedAt: Date;
  durationMs: number;
  url: string;
  /** JSON, secrets redacted. */
  requestHeaders: string;
  /** Null when no answer came. */
  status: number | null;
  responseHeaders: string | null;
  responseBody: Buffer | null;
  failureReason: string | null;
  failure: string | null;
}

export interface SettleResult {
  /** Attempts whose lease had passed to somebody else: that worker's result counts, this one was not stored. */
  lateCalloutIds: string[];
  /** Webhooks for which the end of a callout made the next one of its record due. */
  wokenWebhookKeys: number[];
}

// In the same order as match locks the callouts that it puts others behind (webhook, record). The next statement sees
// what match has put behind them by then, and nothing more can come until this ends.
const lockHeld = statement<{ callout_id: string; lease_owner: string | null }>(
  'delivery_lock_held',
  `SELECT callout_id, lease_owner FROM open_callouts WHERE callout_id = ANY($1::uuid[])
   ORDER BY webhook_key, record_id FOR UPDATE`,
);

const write = statement<{ webhook_key: number }>(
  'delivery_settle',
  `WITH ended AS (
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[]) AS e (id, state, webhook_key, record_id)
   ), closed AS (
     DELETE FROM open_callouts WHERE callout_id = ANY($1::uuid[])
   ), stamped AS (
     -- The bounds name the partitions, which a list alone does not.
     UPDATE callouts c SET state = ended.state, finished_at = now() FROM ended
     WHERE c.id = ended.id AND c.id = ANY($1::uuid[]) AND c.id BETWEEN $23 AND $24
   ), promoted AS (
     UPDATE open_callouts SET state = 'due', due_at = now()
     WHERE state = 'waiting' AND callout_id = ANY(ARRAY(
       SELECT behind.callout_id FROM ended, LATERAL (
         SELECT b.callout_id FROM open_callouts b
         WHERE b.webhook_key = ended.webhook_key AND b.record_id = ended.record_id AND b.callout_id <> ended.id
         ORDER BY b.sequence_number LIMIT 1
       ) AS behind))
     RETURNING webhook_key
   ), retried AS (
     UPDATE open_callouts o SET attempts_made = r.attempts_made, due_at = now() + r.wait_ms * interval '1 millisecond',
       lease_owner = NULL, lease_until = NULL
     FROM unnest($5::uuid[], $6::int[], $7::bigint[]) AS r (id, attempts_made, wait_ms)
     WHERE o.callout_id = r.id AND o.callout_id = ANY($5::uuid[])
   ), logged AS (
     INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
       status, response_headers, response_body, failure_reason, failure, next_attempt_at)
     SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
       response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
     FROM unnest($8::uuid[], $9::uuid[], $10::int[], $11::bigint[], $12::int[], $13::timestamptz[], $14::int[],
       $15::text[], $16::json[], $17::int[], $18::json[], $19::bytea[], $20::text[], $21::text[], $22::bigint[])
       AS a (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
         response_headers, response_body, failure_reason, failure, wait_ms)
   )
   SELECT DISTINCT webhook_key FROM promoted`,
);

/**
 * Writes attempts and what follows from them, in one transaction: the callout ends or gets the time of its next attempt,
 * and the callout behind an ended one becomes due. Only the holder of a lease may write: a result that comes after the
 * lease has passed on is left out.
 */
export async function settleAttempts(pool: Pool, settlements: readonly Settlement[]): Promise<SettleResult> {
  return inTransaction(pool, async (transaction) => {
    const rows = await lockHeld(transaction, [settlements.map(({ calloutId }) => calloutId)]);
    const owners = new Map(rows.map((row) => [row.callout_id, row.lease_owner]));
    const holds = ({ calloutId, leaseOwner }: Settlement): boolean => owners.get(calloutId) === leaseOwner;
    const settled = settlements.filter(holds);
    const woken = settled.length > 0 ? await write(transaction, valuesOf(settled)) : [];
    return {
      lateCalloutIds: settlements.filter((settlement) => !holds(settlement)).map(({ calloutId }) => calloutId),
      wokenWebhookKeys: woken.map((row) => row.webhook_key),
    };
  });
}

function valuesOf(settled: readonly Settlement[]): unknown[] {
  const ended = settled.flatMap(({ calloutId, webhookKey, recordId, next }) =>
    next.kind === 'ended' ? [{ calloutId, state: next.state, webhookKey, recordId }] : [],
  );
  const retried = settled.flatMap(({ calloutId, attempt, next }) =>
    next.kind === 'retry' ? [{ calloutId, number: attempt.number, waitMs: next.waitMs }] : [],
  );
  const endedIds = ended.map(({ calloutId }) => calloutId).toSorted();
  return [
    ...columns(ended, ['calloutId', 'state', 'webhookKey', 'recordId']),
    ...columns(retried, ['calloutId', 'number', 'waitMs']),
    ...attemptColumns(settled),
    endedIds.at(0) ?? null,
    endedIds.at(-1) ?? null,
  ];
}

function attemptColumns(settled: readonly Settlement[]): unknown[][] {
  const rows = settled.map(({ calloutId, tenantId, webhookKey, attempt, next }) => ({
    ...attempt,
    calloutId,
    tenantId,
    webhookKey,
    waitMs: next.kind === 'retry' ? next.waitMs : null,
  }));
  return columns(rows, [
    'id',
    'calloutId',
    'tenantId',
    'webhookKey',
    'number',
    'startedAt',
    'durationMs',
    'url',
    'requestHeaders',
    'status',
    'responseHeaders',
    'responseBody',
    'failureReason',
    'failure',
    'waitMs',
  ]);
}
