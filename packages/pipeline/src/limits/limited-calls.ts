import type { Pool } from 'pg';
import type { Client, Transaction } from '@callout/database/connection/database';
import { columns, statement, statementFrom } from '@callout/database/connection/statement/statement';
import type { ClaimedCallout } from '@callout/domain/callout/claimed';
import { callsAllowed, type CallLimits, type RateState } from './rate.rules.ts';

const open = statementFrom('limits/rate_open');

/** Creates the rates of webhooks that have limits of their own and had no call since. */
export async function openRates(client: Client, webhookKeys: readonly number[]): Promise<void> {
  await open(client, [webhookKeys]);
}

const openHeld = statementFrom('limits/rate_open_held');

/** Creates the rates of webhooks that have limits of their own and hold callouts. */
export async function openRatesOfHeld(client: Client): Promise<void> {
  await openHeld(client, []);
}

const forget = statement('rate_forget', 'DELETE FROM webhook_rates WHERE webhook_key = $1', 'webhook_rates');

/** The rate of a webhook was changed: the next call does not wait for the time that the last call has set. */
export async function forgetRate(transaction: Transaction, webhookKey: number): Promise<void> {
  await forget(transaction, [webhookKey]);
}

const clearAhead = statementFrom<{ webhookKey: number }>('limits/rate_clear_ahead');

/**
 * After the clock of PostgreSQL was set back, webhooks with a rate would wait for as long before their next call.
 * @returns the keys of webhooks that need not wait any more.
 */
export async function clearRatesAhead(client: Client): Promise<number[]> {
  return (await clearAhead(client, [])).map(({ webhookKey }) => webhookKey);
}

/** A call that the limits of its webhook may concern. */
export type LimitedCall = Pick<ClaimedCallout, 'id' | 'webhookKey' | 'leaseOwner' | 'holdsPlace' | 'isRated'>;

const end = statementFrom('limits/rate_end_calls');

/**
 * The calls are over, or not made: further calls of the webhooks may begin. Does nothing for webhooks without a limit.
 * The calls of a worker that has died count until the leases end.
 */
export async function endCalls(pool: Pool, calls: readonly LimitedCall[]): Promise<void> {
  const counted = calls.filter(({ holdsPlace }) => holdsPlace === true);
  if (counted.length > 0) await end(pool, columns(counted, ['webhookKey', 'id', 'leaseOwner']));
}

const giveBack = statementFrom('limits/rate_give_back');

/** The calls were not made, and do not count for the rates of their webhooks. Does nothing for webhooks without a rate. */
export async function giveBackCalls(pool: Pool, calls: readonly LimitedCall[]): Promise<void> {
  const counts = countByWebhook(calls.filter(({ isRated }) => isRated === true));
  if (counts.size > 0) await giveBack(pool, [[...counts.keys()], [...counts.values()]]);
}

function countByWebhook(calls: readonly LimitedCall[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { webhookKey } of calls) counts.set(webhookKey, (counts.get(webhookKey) ?? 0) + 1);
  return counts;
}

interface LockedRate extends CallLimits, RateState {
  webhookKey: number;
  now: Date;
}

const lock = statementFrom<LockedRate>('limits/rate_lock');

/**
 * Locks the rates of webhooks that have limits of their own.
 * @returns their rates, by key.
 */
export async function lockRates(
  transaction: Transaction,
  webhookKeys: readonly number[],
): Promise<ReadonlyMap<number, LockedRate>> {
  if (webhookKeys.length === 0) return new Map();
  const rows = await lock(transaction, [webhookKeys]);
  return new Map(rows.map((row) => [row.webhookKey, row]));
}

/**
 * Chooses the callouts whose calls may begin now, in order: all callouts of a webhook without own limits, and no callout
 * of a webhook whose rate is not stored yet.
 */
export function withinRates<Chosen extends { webhookKey: number; isLimited: boolean }>(
  callouts: readonly Chosen[],
  rates: ReadonlyMap<number, LockedRate>,
): Chosen[] {
  const allowed = new Map<number, number>();
  return callouts.filter(({ webhookKey, isLimited }) => {
    const rate = rates.get(webhookKey);
    if (rate === undefined) return !isLimited;
    const calls = allowed.get(webhookKey) ?? callsAllowed(rate, rate, rate.now, callouts.length);
    allowed.set(webhookKey, calls - 1);
    return calls > 0;
  });
}

const take = statementFrom('limits/rate_take');

/**
 * Stores that calls of webhooks with limits of their own begin now.
 * @param rates of `lockRates`, in the present transaction.
 * @returns the callouts, with the limits for which each counts.
 */
export async function takeCalls<Leased extends LimitedCall>(
  transaction: Transaction,
  leased: readonly Leased[],
  rates: ReadonlyMap<number, LockedRate>,
  leaseMs: number,
): Promise<Leased[]> {
  const limited = leased.filter(({ webhookKey }) => rates.has(webhookKey));
  const [first] = limited;
  if (first === undefined) return [...leased];
  const begun = countByWebhook(limited);
  const isCounted = ({ webhookKey }: Leased): boolean => typeof rates.get(webhookKey)?.atOnce === 'number';
  const counted = limited.filter(isCounted);
  await take(transaction, [
    [...begun.keys()],
    [...begun.values()],
    ...columns(counted, ['webhookKey', 'id']),
    first.leaseOwner,
    leaseMs,
  ]);
  return leased.map((callout) => {
    const rate = rates.get(callout.webhookKey);
    return rate === undefined
      ? callout
      : { ...callout, holdsPlace: rate.atOnce !== null, isRated: rate.perSecond !== null };
  });
}
