import type { Pool } from 'pg';
import { inTransaction, type Transaction } from '../connection/database.ts';
import { promoteFirst } from '../repair/open-records.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import { attemptColumns } from './attempt-rows.ts';
import { giveUp, lockWebhooksOf, webhooksToShut, type GivenUpRules, type LockedWebhook } from './given-up.ts';
import { judgeHealth, lockHealth, writeHealth, type LockedHealth } from './health.ts';
import { attemptOf, isGivenUp, type Settlement } from './settlement.ts';

export interface SettleRules extends GivenUpRules {
  /** From 0 to below 1: spreads the ends of pauses. */
  random: () => number;
}

export interface SettleResult {
  /**
   * Attempts whose result was left out: their lease had passed to somebody else, whose result counts, or their callout was
   * cancelled and is open again.
   */
  lateCalloutIds: string[];
  /** Webhooks with something to send now: the next callout of a record, a deactivation call, or all of it after a pause. */
  wokenWebhookKeys: number[];
}

const lockHeld = statementFrom<{ callout_id: string; lease_owner: string | null }>('settle/delivery_lock_held');

const lockHeldAndCallsOf = statementFrom<{ callout_id: string; lease_owner: string | null }>(
  'settle/delivery_lock_held_and_calls_of',
);

const write = statementFrom<{ webhookKey: number; recordId: number; promoted: number }>('settle/delivery_settle');

const settleCancelled = statementFrom<{ id: string }>('settle/delivery_settle_cancelled');

const logAttempts = statementFrom('settle/delivery_log_attempts');

/**
 * Writes attempts and what follows from them: the callout ends or gets the time of its next attempt, the callout behind an
 * ended one becomes due, and the health of receivers changes. Only the holder of a lease may write: a result that comes
 * after the lease has passed on is left out. Results that give a callout up have a transaction of their own, since they
 * need the locks of webhooks, which match needs too.
 */
export async function settleAttempts(
  pool: Pool,
  settlements: readonly Settlement[],
  rules: SettleRules,
): Promise<SettleResult> {
  const given = settlements.filter(isGivenUp);
  const others = settlements.filter((settlement) => !isGivenUp(settlement));
  const results: SettleResult[] = [];
  for (const batch of [others, given].flatMap(onePerRecord)) {
    results.push(await inTransaction(pool, (transaction) => settle(transaction, batch, rules)));
  }
  return {
    lateCalloutIds: results.flatMap(({ lateCalloutIds }) => lateCalloutIds),
    wokenWebhookKeys: [...new Set(results.flatMap(({ wokenWebhookKeys }) => wokenWebhookKeys))],
  };
}

/**
 * Batches with at most one result of each record. Two of one record only meet when a lease was lost and an earlier callout
 * was redelivered: the end of one then makes the other one due, which one statement cannot do to a row that it deletes.
 */
function onePerRecord(settlements: readonly Settlement[]): Settlement[][] {
  const batches: Map<string, Settlement>[] = [];
  for (const settlement of settlements) {
    const { webhookKey, recordId } = settlement.callout;
    const name = `${webhookKey}/${recordId}`;
    const batch = batches.find((one) => !one.has(name));
    if (batch === undefined) batches.push(new Map([[name, settlement]]));
    else batch.set(name, settlement);
  }
  return batches.map((batch) => [...batch.values()]);
}

/** Results that all give their callouts up, or none of them does. */
async function settle(
  transaction: Transaction,
  results: readonly Settlement[],
  rules: SettleRules,
): Promise<SettleResult> {
  const givesUp = results.some(isGivenUp);
  const webhooks = givesUp ? await lockWebhooksOf(transaction, results) : new Map();
  const settlements = results.map((result) => cancelledWith(webhooks, result));
  const { health, owners } = await lockAll(transaction, settlements, webhooks, rules);
  const holds = ({ callout }: Settlement): boolean => owners.get(callout.id) === callout.leaseOwner;
  const held = settlements.filter(holds);
  const late = settlements.filter((settlement) => !holds(settlement));
  const woken = held.length > 0 ? await writeAndPromote(transaction, held) : [];
  const after = judgeHealth(health, held, rules.random);
  if (health.size > 0) woken.push(...(await writeHealth(transaction, health, after, tenantOfWebhook(held))));
  if (givesUp && held.length > 0) {
    const shut = webhooksToShut(webhooks, held, after, rules.deactivateAfter);
    woken.push(...(await giveUp(transaction, held, after, shut, rules)));
  }
  const settledLate = late.length > 0 ? await settleLate(transaction, late) : new Set();
  const leftOut = late.map(({ callout }) => callout.id).filter((id) => !settledLate.has(id));
  return { lateCalloutIds: leftOut, wokenWebhookKeys: woken };
}

/** Locks health and then callouts, in one round trip unless a webhook may have to be deactivated. */
async function lockAll(
  transaction: Transaction,
  settlements: readonly Settlement[],
  webhooks: ReadonlyMap<number, LockedWebhook>,
  rules: SettleRules,
): Promise<{ health: LockedHealth; owners: Map<string, string | null> }> {
  if (webhooks.size === 0) {
    const [health, owners] = await Promise.all([
      lockHealth(transaction, settlements),
      lockOwners(transaction, settlements, []),
    ]);
    return { health, owners };
  }
  const health = await lockHealth(transaction, settlements);
  // Which results come late is known only under the locks, so what may have to be deactivated is locked for as if every
  // success did.
  const failures = settlements.filter(({ sign }) => sign !== 'delivered');
  const worst = judgeHealth(health, failures, rules.random);
  const mayShut = webhooksToShut(webhooks, settlements, worst, rules.deactivateAfter);
  return { health, owners: await lockOwners(transaction, settlements, [...mayShut.gone, ...mayShut.failing]) };
}

/**
 * What is given up of a webhook that was shut meanwhile, and would have been cancelled next, is cancelled: nobody hears of
 * it, and it counts for nothing.
 */
function cancelledWith(webhooks: ReadonlyMap<number, LockedWebhook>, settlement: Settlement): Settlement {
  const { kind, webhookKey } = settlement.callout;
  if (kind === 'deactivation' || !isGivenUp(settlement) || webhooks.get(webhookKey)?.isActive === true)
    return settlement;
  return { ...settlement, next: { kind: 'ended', state: 'cancelled' } };
}

/**
 * Returns the webhooks for which a callout became due. One that was overtaken while it was being sent may be ended by
 * somebody else at this moment; then the one behind it is found by another look.
 */
async function writeAndPromote(transaction: Transaction, held: readonly Settlement[]): Promise<number[]> {
  const behind = await write(transaction, valuesOf(held));
  const [first] = behind;
  if (first !== undefined && first.promoted < behind.length) await promoteFirst(transaction, behind);
  return behind.map(({ webhookKey }) => webhookKey);
}

/** Locks the callouts, and the deactivation calls of the webhooks that may be shut. Returns who holds their leases. */
async function lockOwners(
  transaction: Transaction,
  settlements: readonly Settlement[],
  mayShutKeys: readonly number[],
): Promise<Map<string, string | null>> {
  const ids = settlements.map(({ callout }) => callout.id);
  const rows =
    mayShutKeys.length > 0
      ? await lockHeldAndCallsOf(transaction, [ids, mayShutKeys])
      : await lockHeld(transaction, [ids]);
  return new Map(rows.map((row) => [row.callout_id, row.lease_owner]));
}

function tenantOfWebhook(settlements: readonly Settlement[]): (webhookKey: number) => number {
  const tenants = new Map(settlements.map(({ callout }) => [callout.webhookKey, callout.tenantId]));
  return (webhookKey) => {
    const tenantId = tenants.get(webhookKey);
    if (tenantId === undefined) throw new Error(`nothing was settled of webhook ${webhookKey}`);
    return tenantId;
  };
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
    ...attemptColumns(settled.map(attemptOf)),
  ];
}

/** The lowest and the highest id. */
function boundsOf(ids: readonly string[]): [string | null, string | null] {
  const sorted = ids.toSorted();
  return [sorted.at(0) ?? null, sorted.at(-1) ?? null];
}

/** Results of callouts that were cancelled meanwhile. Returns those that still counted. */
async function settleLate(transaction: Transaction, late: readonly Settlement[]): Promise<ReadonlySet<string>> {
  const rows = late
    .map(({ callout, sign }) => ({ id: callout.id, lease: callout.leaseOwner, isDelivered: sign === 'delivered' }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const bounds = boundsOf(rows.map(({ id }) => id));
  const settled = await settleCancelled(transaction, [...columns(rows, ['id', 'lease', 'isDelivered']), ...bounds]);
  const ids = new Set(settled.map(({ id }) => id));
  const attempts = late.filter(({ callout }) => ids.has(callout.id)).map(attemptOf);
  const last = attempts.map((attempt) => ({ ...attempt, waitMs: null }));
  if (last.length > 0) await logAttempts(transaction, attemptColumns(last));
  return ids;
}
