import type { RecordOfWebhook } from '@callout/domain/callout/claimed';
import { boundsOf } from '@callout/database/schema/ids';
import {
  type LockedForSettlement,
  type SettleDecision,
  judgeSettlements,
  judgeOptimistically,
  type SettleRules,
} from './judge-settlements.rules.ts';
import { hasFailed, type Settlement, settlementBatches, tracesOf, type Attempt } from './settlement.rules.ts';
import type { Transaction } from '@callout/database/connection/database';
import {
  type Sent,
  inTransaction,
  inTransactionEndingWith,
  isAssumptionFailed,
} from '@callout/database/connection/transaction/transaction';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { lockWebhooksOf, writeFailed, type LockedWebhook } from './failed-callouts.ts';
import { partsByBodies, readBodies } from '../payload/callout-bodies.ts';
import { lockHealth, writeHealth } from './health.ts';
import type { Pool } from 'pg';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { rowSet } from '@callout/database/connection/statement/row-set';

export interface SettleResult {
  /**
   * Callouts whose attempts were left out: their lease had passed to another worker, whose result counts, or their
   * callout was cancelled and is open again.
   */
  lateCalloutIds: string[];
  /**
   * Webhooks with something to send now: the next callout of a record, a deactivation call, or everything after a
   * pause.
   */
  dueWebhookKeys: number[];
  /** The number of webhooks that were paused because their receivers are down. */
  paused: number;
}

/**
 * Attempts → effects: the callout ends or gets the time of its next attempt, the callout behind an ended
 * one becomes due, and the health of receivers changes. Only the holder of a lease may settle: a result that comes
 * after the lease was lost is left out. Load, decide, commit, once for each batch of `settlementBatches`; where all
 * were delivered nothing is loaded first, and the decision is stored only if its assumptions are true.
 * @param mayBeOptimistic false: every decision is made under the locks.
 * @throws when a batch could not be stored; those before it are.
 */
export async function settleAttempts(
  pool: Pool,
  settlements: readonly Settlement[],
  rules: SettleRules,
  mayBeOptimistic = true,
): Promise<SettleResult> {
  const results: SettleResult[] = [];
  for (const batch of await batchesToStore(pool, settlements)) {
    const optimistic = mayBeOptimistic ? judgeOptimistically(batch, rules) : null;
    results.push(
      (optimistic && (await settleOptimistically(pool, optimistic))) ??
        (await inTransaction(pool, async (transaction) => {
          nameTransactionTrace(transaction, 'settle', () => tracesOf(batch));
          const locked = await lockForSettlement(transaction, batch);
          return storeSettlements(transaction, judgeSettlements(batch, locked, rules));
        })),
    );
  }
  return {
    lateCalloutIds: results.flatMap(({ lateCalloutIds }) => lateCalloutIds),
    dueWebhookKeys: [...new Set(results.flatMap(({ dueWebhookKeys }) => dueWebhookKeys))],
    paused: results.reduce((sum, { paused }) => sum + paused, 0),
  };
}

/** `settlementBatches`; those that give callouts up are smaller where their bodies are long, since error logs have these. */
async function batchesToStore(pool: Pool, settlements: readonly Settlement[]): Promise<Settlement[][]> {
  const batches: Settlement[][] = [];
  for (const batch of settlementBatches(settlements)) {
    const parts = batch.some(hasFailed) ? await partsByBodies(pool, batch, ({ callout }) => [callout.id]) : [batch];
    batches.push(...parts);
  }
  return batches;
}

/**
 * Stores a decision of `judgeOptimistically` in one round trip: BEGIN, lock, write and COMMIT are sent together.
 * @returns null when an assumption was wrong, so that it must be decided under the locks. Nothing is stored.
 */
async function settleOptimistically(pool: Pool, decision: SettleDecision): Promise<SettleResult | null> {
  try {
    return await inTransactionEndingWith(pool, async (transaction) => {
      nameTransactionTrace(transaction, 'settle', () => tracesOf(decision.settled));
      return storeOptimistically(transaction, decision);
    });
  } catch (error) {
    if (isAssumptionFailed(error)) return null;
    throw error;
  }
}

const lockHeld = statementFrom<{ callout_id: string; lease_owner: string | null }>('settle/delivery_lock_held');

const lockHeldAndCallsOf = statementFrom<{ callout_id: string; lease_owner: string | null }>(
  'settle/delivery_lock_held_and_calls_of',
);

/**
 * Locks the rows that these results may change, in the order of `lockRanks`: webhooks, where callouts fail;
 * health; open callouts, with the deactivation calls of those webhooks. All of it is one round trip.
 * @param settlements a batch of `settlementBatches`.
 */
async function lockForSettlement(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<LockedForSettlement> {
  const failed = settlements.filter(hasFailed);
  const [webhooks, { health, now }, leaseOwners, bodies] = await Promise.all([
    failed.length > 0 ? lockWebhooksOf(transaction, failed) : new Map<number, LockedWebhook>(),
    lockHealth(transaction, settlements),
    lockLeaseOwners(transaction, settlements),
    readBodies(
      transaction,
      failed.map(({ callout }) => callout.id),
    ),
  ]);
  return { webhooks, health, now, leaseOwners, bodies };
}

/**
 * Locks the callouts. Of webhooks that may be deactivated, which are those of callouts that fail, their
 * deactivation calls are locked too: `deactivateWebhooks` needs them, and after these locks it would be out of order.
 * @returns the lease owner of each callout, by its id.
 */
async function lockLeaseOwners(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<Map<string, string | null>> {
  const ids = settlements.map(({ callout }) => callout.id);
  const mayDeactivate = new Set(settlements.filter(hasFailed).map(({ callout }) => callout.webhookKey));
  const rows =
    mayDeactivate.size > 0
      ? await lockHeldAndCallsOf(transaction, [ids, [...mayDeactivate]])
      : await lockHeld(transaction, [ids]);
  return new Map(rows.map((row) => [row.callout_id, row.lease_owner]));
}

/**
 * Stores a decision on the rows of `lockForSettlement`, in the same transaction: the attempts; each callout ends or
 * gets the time of its next attempt, and the one behind an ended one becomes due; the health of receivers; error logs
 * and mails; the deactivation of webhooks. Late results are stored where the callout was cancelled while it was sent.
 */
async function storeSettlements(transaction: Transaction, decision: SettleDecision): Promise<SettleResult> {
  const { settled, late, health } = decision;
  const due = settled.length > 0 ? await writeAndPromote(transaction, settled) : [];
  if (health.length > 0) await writeHealth(transaction, health);
  due.push(...health.flatMap(({ webhookKey, pause }) => (pause === 'resumed' ? [webhookKey] : [])));
  due.push(...(await writeFailed(transaction, decision)));
  const settledLate = late.length > 0 ? await settleLate(transaction, late) : new Set();
  const leftOut = late.map(({ callout }) => callout.id).filter((id) => !settledLate.has(id));
  const paused = health.filter(({ pause }) => pause === 'paused').length;
  return { lateCalloutIds: leftOut, dueWebhookKeys: due, paused };
}

/**
 * Locks the callouts of an optimistic decision and stores it if its assumptions are true, without waiting for a
 * response in between: the second statement sees what is committed once the first has its locks.
 * @returns both statements, and the result; null when an assumption was wrong, and nothing is stored.
 */
function storeOptimistically(
  transaction: Transaction,
  { settled }: Pick<SettleDecision, 'settled'>,
): { result: Promise<SettleResult | null>; last: Sent } {
  const locked = lockHeld(transaction, [settled.map(({ callout }) => callout.id)]);
  const leases = settled.map(({ callout }) => callout.leaseOwner);
  const result = write(transaction, [...valuesOf(settled), leases]).then((rows) => {
    return rows[0]?.isStored === true
      ? { lateCalloutIds: [], dueWebhookKeys: behindIn(rows).map(keyOf), paused: 0 }
      : null;
  });
  return { result, last: [locked, result] };
}

/** One row for each callout behind an ended one; if there is none, a single row without it. */
interface WrittenRow {
  isStored: boolean;
  webhookKey: number | null;
  recordId: number | null;
  promoted: number;
}

const write = statementFrom<WrittenRow>('settle/delivery_settle');

/**
 * Returns the webhooks for which a callout became due. A callout that was overtaken while it was being sent may be
 * ended by another transaction at this moment; then another look finds the next one.
 */
async function writeAndPromote(transaction: Transaction, held: readonly Settlement[]): Promise<number[]> {
  const rows = await write(transaction, [...valuesOf(held), null]);
  const behind = behindIn(rows);
  if ((rows[0]?.promoted ?? 0) < behind.length) await promoteFirst(transaction, behind);
  return behind.map(keyOf);
}

/** The records whose next callout becomes due. */
function behindIn(rows: readonly WrittenRow[]): RecordOfWebhook[] {
  return rows.flatMap(({ webhookKey, recordId }) =>
    webhookKey === null || recordId === null ? [] : [{ webhookKey, recordId }],
  );
}

function keyOf({ webhookKey }: RecordOfWebhook): number {
  return webhookKey;
}

const promote = statementFrom<{ webhookKey: number }>('settle/delivery_promote');

/**
 * waiting → due for the first open callout of each of these records. A separate statement, after others of them have
 * ended.
 * @returns the webhooks with a callout that became due.
 */
export async function promoteFirst(
  transaction: Transaction,
  records: readonly { webhookKey: number; recordId: number }[],
): Promise<number[]> {
  const rows = await promote(transaction, columns(records, ['webhookKey', 'recordId']));
  return [...new Set(rows.map(({ webhookKey }) => webhookKey))];
}

function valuesOf(settled: readonly Settlement[]): unknown[] {
  const ended = settled.flatMap(({ callout: { id, webhookKey, recordId }, next }) =>
    next.kind === 'ended' ? [{ id, state: next.state, webhookKey, recordId }] : [],
  );
  const retried = settled.flatMap(({ callout: { id }, attempt, next }) =>
    next.kind === 'retry' ? [{ id, number: attempt.number, waitMs: next.waitMs }] : [],
  );
  return [
    ...columns(ended, ['id', 'state', 'webhookKey', 'recordId']),
    ...columns(retried, ['id', 'number', 'waitMs']),
    ...boundsOf(ended.map(({ id }) => id)),
    ...attemptSet.valuesOf(settled.map(attemptOf)),
  ];
}

/** The attempts of callouts, with the wait until the next one, where there is one. */
type CalloutAttempt = Attempt & {
  calloutId: string;
  tenantId: number;
  webhookKey: number;
  waitMs: number | null;
};

/** The parameters of `delivery_log_attempts`, and the last ones of `delivery_settle`. */
export const attemptSet = rowSet<CalloutAttempt>([
  { column: 'id', type: 'uuid', from: 'id' },
  { column: 'callout_id', type: 'uuid', from: 'calloutId' },
  { column: 'tenant_id', type: 'int', from: 'tenantId' },
  { column: 'webhook_key', type: 'bigint', from: 'webhookKey' },
  { column: 'number', type: 'int', from: 'number' },
  { column: 'started_at', type: 'timestamptz', from: 'startedAt' },
  { column: 'duration_ms', type: 'int', from: 'durationMs' },
  { column: 'url', type: 'text', from: 'url' },
  { column: 'request_headers', type: 'json', from: 'requestHeaders' },
  { column: 'status', type: 'int', from: 'status' },
  { column: 'response_headers', type: 'json', from: 'responseHeaders' },
  { column: 'response_body', type: 'bytea', from: 'responseBody' },
  { column: 'failure_reason', type: 'text', from: 'failureReason' },
  { column: 'failure', type: 'text', from: 'failure' },
  { column: 'wait_ms', type: 'bigint', from: 'waitMs' },
]);

/** The row of an attempt's history. */
function attemptOf({ callout, attempt, next }: Settlement): CalloutAttempt {
  const waitMs = next.kind === 'retry' ? next.waitMs : null;
  return { ...attempt, calloutId: callout.id, tenantId: callout.tenantId, webhookKey: callout.webhookKey, waitMs };
}

const settleCancelled = statementFrom<{ id: string }>('settle/delivery_settle_cancelled');

const logAttempts = statementFrom('settle/delivery_log_attempts');

/** Stores the results of callouts that were cancelled meanwhile. Returns the callouts whose result still counted. */
async function settleLate(transaction: Transaction, late: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const rows = late
    .map(({ callout, signal }) => ({ id: callout.id, lease: callout.leaseOwner, isDelivered: signal === 'delivered' }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const bounds = boundsOf(rows.map(({ id }) => id));
  const settled = await settleCancelled(transaction, [...columns(rows, ['id', 'lease', 'isDelivered']), ...bounds]);
  const ids = new Set(settled.map(({ id }) => id));
  const attempts = late.filter(({ callout }) => ids.has(callout.id)).map(attemptOf);
  const last = attempts.map((attempt) => ({ ...attempt, waitMs: null }));
  if (last.length > 0) await logAttempts(transaction, attemptSet.valuesOf(last));
  return ids;
}
