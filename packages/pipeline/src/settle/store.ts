import type { RecordOfWebhook } from '@callout/domain/callout/claimed';
import type { Transaction } from '@callout/database/connection/database';
import { rowSet, type SetColumn } from '@callout/database/connection/statement/row-set';
import { columns, statementFrom } from '@callout/database/connection/statement/statement';
import { boundsOf } from '@callout/database/schema/ids';
import { writeFailed } from './failed-callouts.ts';
import { writeHealth } from './health.ts';
import type { SettleDecision } from './judge-settlements.rules.ts';
import type { Settlement } from './settlement.rules.ts';

/** The result of settling. */
export interface SettleResult {
  /**
   * Callouts whose settlements were left out: the lease had passed to another worker, whose settlement counts, or the
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
 * Stores a decision about locked rows, in the same transaction: the attempts; each callout ends or gets the time of the
 * next attempt, and the callout behind an ended callout becomes due; the health of receivers; error logs and mails; the
 * deactivation of webhooks. A late settlement is stored where the callout was cancelled while it was sent.
 */
export async function storeSettlements(transaction: Transaction, decision: SettleDecision): Promise<SettleResult> {
  const { settled, late, health } = decision;
  const dueWebhookKeys = settled.length > 0 ? await writeAndPromote(transaction, settled) : [];
  if (health.length > 0) await writeHealth(transaction, health);
  dueWebhookKeys.push(...health.flatMap(({ webhookKey, pause }) => (pause === 'resumed' ? [webhookKey] : [])));
  if (decision.errorLogs.length > 0) dueWebhookKeys.push(...(await writeFailed(transaction, decision)));
  const lateCalloutIds = late.length > 0 ? await writeLate(transaction, late) : [];
  return { lateCalloutIds, dueWebhookKeys, paused: health.filter(({ pause }) => pause === 'paused').length };
}

/** A callout behind an ended callout, by its record, with the number of all such callouts that became due. */
type BehindRow = RecordOfWebhook & { promoted: number };

const store = statementFrom<BehindRow>('settle/settle_store');

/**
 * @returns the webhooks for which a callout became due. A callout that was overtaken while it was being sent may be
 * ended by another transaction at this moment; then another look finds the next callout.
 */
async function writeAndPromote(transaction: Transaction, settled: readonly Settlement[]): Promise<number[]> {
  const endedIds = settled.flatMap(({ callout, next }) => (next.kind === 'ended' ? [callout.id] : []));
  const behind = await store(transaction, [...settlementSet.jsonOf(settled), ...boundsOf(endedIds)]);
  if ((behind[0]?.promoted ?? 0) < behind.length) await promoteFirst(transaction, behind);
  return behind.map(({ webhookKey }) => webhookKey);
}

const promote = statementFrom<{ webhookKey: number }>('settle/settle_promote');

/**
 * waiting → due for the first open callout of each of these records. A separate statement, after earlier callouts of the
 * records have ended.
 * @returns the webhooks with a callout that became due.
 */
export async function promoteFirst(
  transaction: Transaction,
  records: readonly { webhookKey: number; recordId: number }[],
): Promise<number[]> {
  const rows = await promote(transaction, columns(records, ['webhookKey', 'recordId']));
  return [...new Set(rows.map(({ webhookKey }) => webhookKey))];
}

const settlementColumns: readonly SetColumn<Settlement>[] = [
  { column: 'callout_id', type: 'uuid', from: ({ callout }) => callout.id },
  { column: 'webhook_key', type: 'bigint', from: ({ callout }) => callout.webhookKey },
  { column: 'record_id', type: 'bigint', from: ({ callout }) => callout.recordId },
  { column: 'state', type: 'text', from: ({ next }) => (next.kind === 'ended' ? next.state : null) },
  { column: 'wait_ms', type: 'bigint', from: ({ next }) => (next.kind === 'retry' ? next.waitMs : null) },
  { column: 'id', type: 'uuid', from: ({ attempt }) => attempt.id },
  { column: 'tenant_id', type: 'int', from: ({ callout }) => callout.tenantId },
  { column: 'number', type: 'int', from: ({ attempt }) => attempt.number },
  { column: 'started_at', type: 'timestamptz', from: ({ attempt }) => attempt.startedAt },
  { column: 'duration_ms', type: 'int', from: ({ attempt }) => attempt.durationMs },
  { column: 'url', type: 'text', from: ({ attempt }) => attempt.url },
  { column: 'request_headers', type: 'json', from: ({ attempt }) => attempt.requestHeaders },
  { column: 'status', type: 'int', from: ({ attempt }) => attempt.status },
  { column: 'response_headers', type: 'json', from: ({ attempt }) => attempt.responseHeaders },
  { column: 'response_body', type: 'bytea', from: ({ attempt }) => attempt.responseBody },
  { column: 'failure_reason', type: 'text', from: ({ attempt }) => attempt.failureReason },
  { column: 'failure', type: 'text', from: ({ attempt }) => attempt.failure },
];

/** The settlements that `settle_store` writes. */
export const settlementSet = rowSet(settlementColumns);

/** The settlements that `settle_late` stores where the callout was cancelled. */
export const lateSet = rowSet<Settlement>([
  ...settlementColumns,
  { column: 'lease_owner', type: 'uuid', from: ({ callout }) => callout.leaseOwner },
]);

const storeLate = statementFrom<{ id: string }>('settle/settle_late');

/** @returns the callouts whose settlements were left out: the callout was not cancelled. */
async function writeLate(transaction: Transaction, late: readonly Settlement[]): Promise<string[]> {
  const ordered = late.toSorted((a, b) => (a.callout.id < b.callout.id ? -1 : 1));
  const bounds = boundsOf(ordered.map(({ callout }) => callout.id));
  const rows = await storeLate(transaction, [...lateSet.jsonOf(ordered), ...bounds]);
  const storedIds = new Set(rows.map(({ id }) => id));
  return late.map(({ callout }) => callout.id).filter((id) => !storedIds.has(id));
}
