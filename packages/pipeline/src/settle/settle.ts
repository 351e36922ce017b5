import type { Pool } from 'pg';
import type { Transaction } from '@callout/database/connection/database';
import { statementFrom } from '@callout/database/connection/statement/statement';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { nameTransactionTrace } from '@callout/database/connection/transaction/transaction-trace';
import { partsByBodies, readBodies } from '../payload/callout-bodies.ts';
import { lockWebhooksOf, type LockedWebhook } from './failed-callouts.ts';
import type { ReceiverHealth } from './breaker.rules.ts';
import { judgeSettlements, type LockedForSettlement, type SettleRules } from './judge-settlements.rules.ts';
import { affectsHealth, hasFailed, settlementBatches, tracesOf, type Settlement } from './settlement.rules.ts';
import { storeSettlements, type SettleResult } from './store.ts';

/**
 * Stores attempts and their effects: the callout ends or gets the time of the next attempt, the callout behind an ended
 * callout becomes due, and the health of receivers changes. Only the holder of a lease may settle: a settlement that
 * comes after the lease was lost is left out. Load, decide, store, once for each batch of `settlementBatches`.
 * @throws when a batch could not be stored; the batches before it are.
 */
export async function settleAttempts(
  pool: Pool,
  settlements: readonly Settlement[],
  rules: SettleRules,
): Promise<SettleResult> {
  const results: SettleResult[] = [];
  for (const batch of await batchesToStore(pool, settlements)) {
    results.push(
      await inTransaction(pool, async (transaction) => {
        nameTransactionTrace(transaction, 'settle', () => tracesOf(batch));
        const locked = await lockForSettlement(transaction, batch);
        return storeSettlements(transaction, judgeSettlements(batch, locked, rules));
      }),
    );
  }
  return {
    lateCalloutIds: results.flatMap(({ lateCalloutIds }) => lateCalloutIds),
    dueWebhookKeys: [...new Set(results.flatMap(({ dueWebhookKeys }) => dueWebhookKeys))],
    paused: results.reduce((sum, { paused }) => sum + paused, 0),
  };
}

/** `settlementBatches`; smaller where callouts fail that have long bodies, since error logs have the bodies. */
async function batchesToStore(pool: Pool, settlements: readonly Settlement[]): Promise<Settlement[][]> {
  const batches: Settlement[][] = [];
  for (const batch of settlementBatches(settlements)) {
    const parts = batch.some(hasFailed) ? await partsByBodies(pool, batch, ({ callout }) => [callout.id]) : [batch];
    batches.push(...parts);
  }
  return batches;
}

const lock = statementFrom<{ calloutId: string; leaseOwner: string | null }>('settle/settle_lock');

/**
 * Locks the rows that the settlements may change, in the order of `lockRanks`: webhooks, where callouts fail; health;
 * open callouts, with the deactivation calls of those webhooks, which `deactivateWebhooks` needs and could lock only out
 * of order later. One round trip.
 * @param settlements a batch of `settlementBatches`.
 */
async function lockForSettlement(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<LockedForSettlement> {
  const failed = settlements.filter(hasFailed);
  const failedWebhookKeys = webhookKeysOf(failed);
  const [webhooks, { health, now }, callouts, bodies] = await Promise.all([
    failed.length > 0 ? lockWebhooksOf(transaction, failedWebhookKeys) : new Map<number, LockedWebhook>(),
    lockHealth(transaction, settlements),
    lock(transaction, [settlements.map(({ callout }) => callout.id), failedWebhookKeys]),
    readBodies(
      transaction,
      failed.map(({ callout }) => callout.id),
    ),
  ]);
  const leaseOwners = new Map(callouts.map(({ calloutId, leaseOwner }) => [calloutId, leaseOwner]));
  return { webhooks, health, now, leaseOwners, bodies };
}

const beginHealth = statementFrom('settle/health_begin');

const lockHealthRows = statementFrom<ReceiverHealth & { webhookKey: number; now: Date }>('settle/health_lock');

/** Locks the health that the settlements may change. The transaction must hold no lock of an open callout. */
async function lockHealth(
  transaction: Transaction,
  settlements: readonly Settlement[],
): Promise<Pick<LockedForSettlement, 'health' | 'now'>> {
  const affecting = settlements.filter(affectsHealth);
  if (affecting.length === 0) return { health: new Map(), now: null };
  const failing = affecting.filter(({ signal }) => signal !== 'delivered');
  // Every success is looked up, also of a call that began when its receiver was healthy: a success interrupts a row of
  // failures. Sent together, so that statements that the caller sends next come after both.
  const [, rows] = await Promise.all([
    failing.length > 0 && beginHealth(transaction, [webhookKeysOf(failing)]),
    lockHealthRows(transaction, [webhookKeysOf(affecting)]),
  ]);
  const health = new Map(rows.map(({ webhookKey, now: _now, ...row }) => [webhookKey, row]));
  return { health, now: rows[0]?.now ?? null };
}

function webhookKeysOf(settlements: readonly Settlement[]): number[] {
  return [...new Set(settlements.map(({ callout }) => callout.webhookKey))];
}
