import type pg from 'pg';
import { inTransaction } from '../database.ts';
import { columns, statement } from '../statement.ts';

/** One attempt and what follows from it. */
export interface Settlement {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  recordId: number;
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

interface OpenRow {
  head_id: string;
  callout_id: string;
  lease_owner: string | null;
}

// A callout that is sent is the first open one of its record and webhook; the one behind it must not slip in or out
// while the first ends. Locked in the same order as match does (webhook, record).
const lockHeads = statement<OpenRow>(
  'delivery_lock_heads',
  `SELECT mine.callout_id AS head_id, first_two.callout_id, first_two.lease_owner
   FROM (SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS m (callout_id, webhook_key, record_id)
         ORDER BY webhook_key, record_id) AS mine,
   LATERAL (
     SELECT o.callout_id, o.lease_owner FROM open_callouts o
     WHERE o.webhook_key = mine.webhook_key AND o.record_id = mine.record_id
     ORDER BY o.sequence_number LIMIT 2 FOR UPDATE
   ) AS first_two`,
);

const write = statement(
  'delivery_settle',
  `WITH ended AS (
     SELECT * FROM unnest($1::uuid[], $2::text[]) AS e (id, state)
   ), closed AS (
     DELETE FROM open_callouts o USING ended WHERE o.callout_id = ended.id
   ), stamped AS (
     UPDATE callouts c SET state = ended.state, finished_at = now() FROM ended WHERE c.id = ended.id
   ), promoted AS (
     UPDATE open_callouts SET state = 'due', due_at = now() WHERE callout_id = ANY($3::uuid[])
   ), retried AS (
     UPDATE open_callouts o SET attempts_made = r.attempts_made, due_at = now() + r.wait_ms * interval '1 millisecond',
       lease_owner = NULL, lease_until = NULL
     FROM unnest($4::uuid[], $5::int[], $6::bigint[]) AS r (id, attempts_made, wait_ms) WHERE o.callout_id = r.id
   )
   INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
     status, response_headers, response_body, failure_reason, failure, next_attempt_at)
   SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
     response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
   FROM unnest($7::uuid[], $8::uuid[], $9::int[], $10::bigint[], $11::int[], $12::timestamptz[], $13::int[], $14::text[],
     $15::json[], $16::int[], $17::json[], $18::bytea[], $19::text[], $20::text[], $21::bigint[])
     AS a (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
       response_headers, response_body, failure_reason, failure, wait_ms)`,
);

/**
 * Writes attempts and what follows from them, in one transaction: the callout ends or gets the time of its next attempt,
 * and the callout behind an ended one becomes due. Only the holder of a lease may write: a result that comes after the
 * lease has passed on is left out.
 */
export async function settleAttempts(
  pool: pg.Pool,
  owner: string,
  settlements: readonly Settlement[],
): Promise<SettleResult> {
  return inTransaction(pool, async (transaction) => {
    const open = await lockHeads(transaction, columns(settlements, ['calloutId', 'webhookKey', 'recordId']));
    const held = new Set(
      open.filter((row) => row.callout_id === row.head_id && row.lease_owner === owner).map((row) => row.head_id),
    );
    const behind = new Map(
      open.filter((row) => row.callout_id !== row.head_id).map((row) => [row.head_id, row.callout_id]),
    );
    const settled = settlements.filter((settlement) => held.has(settlement.calloutId));
    const ended = settled.flatMap(({ calloutId, next }) =>
      next.kind === 'ended' ? [{ calloutId, state: next.state }] : [],
    );
    const retried = settled.flatMap(({ calloutId, attempt, next }) =>
      next.kind === 'retry' ? [{ calloutId, number: attempt.number, waitMs: next.waitMs }] : [],
    );
    const promoted = settled.flatMap(({ calloutId, webhookKey, next }) => {
      const successor = next.kind === 'ended' ? behind.get(calloutId) : undefined;
      return successor === undefined ? [] : [{ successor, webhookKey }];
    });
    if (settled.length > 0) {
      await write(transaction, [
        ...columns(ended, ['calloutId', 'state']),
        promoted.map(({ successor }) => successor),
        ...columns(retried, ['calloutId', 'number', 'waitMs']),
        ...attemptColumns(settled),
      ]);
    }
    return {
      lateCalloutIds: settlements.filter(({ calloutId }) => !held.has(calloutId)).map(({ calloutId }) => calloutId),
      wokenWebhookKeys: [...new Set(promoted.map(({ webhookKey }) => webhookKey))],
    };
  });
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
