import { nextHealth, type AttemptSign, type ReceiverHealth } from '@callout/core';
import type { Transaction } from '../connection/database.ts';
import { columns, statementFrom } from '../connection/statement.ts';
import { recordChanges, type HistoryEntry } from '../webhooks/webhook-history.ts';
import { speaksOfHealth, isGivenUp, type Settlement } from './settlement.ts';

const begin = statementFrom('settle/health_begin');

interface HealthRow extends ReceiverHealth {
  webhookKey: number;
  now: Date;
}

const lock = statementFrom<HealthRow>('settle/health_lock');

const write = statementFrom('settle/health_write');

const forget = statementFrom('settle/health_forget');

/** The health of webhooks, locked. Those that are not in it are well, and nothing here says otherwise. */
export type LockedHealth = ReadonlyMap<number, HealthRow>;

/** Locks the health that these results may change. The transaction must hold no lock of an open callout. */
export async function lockHealth(transaction: Transaction, settlements: readonly Settlement[]): Promise<LockedHealth> {
  const speaking = settlements.filter(speaksOfHealth);
  if (speaking.length === 0) return new Map();
  const failing = speaking.filter(({ sign }) => sign !== 'delivered');
  // Every success is looked up, also of a call that began when its receiver was well: failures in a row are not in a row
  // with a success among them.
  // Sent together, so that what the caller sends behind them comes after both.
  const [, rows] = await Promise.all([
    failing.length > 0 && begin(transaction, [keysOf(failing)]),
    lock(transaction, [keysOf(speaking)]),
  ]);
  return new Map(rows.map((row) => [row.webhookKey, row]));
}

function keysOf(settlements: readonly Settlement[]): number[] {
  return [...new Set(settlements.map(({ callout }) => callout.webhookKey))];
}

/** The health of webhooks after these results; null: well. Those whose health is not locked are left out. */
export type HealthAfter = ReadonlyMap<number, ReceiverHealth | null>;

/** What becomes of the health of receivers by these results. */
export function judgeHealth(
  locked: LockedHealth,
  settlements: readonly Settlement[],
  random: () => number,
): HealthAfter {
  const after = new Map<number, ReceiverHealth | null>();
  for (const [webhookKey, { webhookKey: _key, now, ...known }] of locked) {
    const signs = settlements.filter((one) => one.callout.webhookKey === webhookKey && speaksOfHealth(one)).map(signOf);
    after.set(webhookKey, nextHealth(known, signs, now, random));
  }
  return after;
}

function signOf(settlement: Settlement): AttemptSign {
  const { callout, sign, problem } = settlement;
  const countsAsFailed = isGivenUp(settlement) && !callout.isRedelivery;
  return { kind: sign, leaseOwner: callout.leaseOwner, failure: problem, countsAsFailed };
}

/**
 * Writes what became of the health of receivers, and keeps it where a pause begins or ends.
 * @returns the webhooks whose pause is over.
 */
export async function writeHealth(
  transaction: Transaction,
  locked: LockedHealth,
  after: HealthAfter,
  tenantOf: (webhookKey: number) => number,
): Promise<number[]> {
  const well = [...after].flatMap(([key, health]) => (health === null ? [key] : []));
  const unwell = [...after].flatMap(([key, health]) => (health === null ? [] : [{ key, ...health }]));
  if (well.length > 0) await forget(transaction, [well]);
  if (unwell.length > 0) {
    const kept = [
      'failedInRow',
      'downInRow',
      'failingSince',
      'lastFailure',
      'pausedUntil',
      'pauses',
      'probeLease',
    ] as const;
    await write(transaction, columns(unwell, ['key', ...kept]));
  }
  const changes = [...after].flatMap(([key, health]) => pauseChange(key, locked.get(key)?.pauses ?? 0, health));
  await recordChanges(
    transaction,
    changes.map((change) => ({ ...change, tenantId: tenantOf(change.webhookKey) })),
  );
  return changes.filter(({ change }) => change === 'resumed').map(({ webhookKey }) => webhookKey);
}

function pauseChange(
  webhookKey: number,
  pausesBefore: number,
  health: ReceiverHealth | null,
): Omit<HistoryEntry, 'tenantId'>[] {
  const pauses = health?.pauses ?? 0;
  if (pausesBefore === 0 && pauses > 0) {
    const detail = health?.lastFailure ?? null;
    return [{ webhookKey, change: 'paused', cause: 'receiverDown', actorResourceId: null, detail }];
  }
  if (pausesBefore > 0 && pauses === 0) {
    return [{ webhookKey, change: 'resumed', cause: 'receiverAnswered', actorResourceId: null }];
  }
  return [];
}
