import type { ClientBase, Pool } from 'pg';

/**
 * The ranks of locked rows, in the order in which all transactions lock them; rows of one rank are locked in the order
 * of their keys. Transactions with one order of locks wait for each other and never deadlock.
 */
export const lockRanks = [
  'idempotency_keys',
  'event_keys',
  'records',
  'pending_events',
  // By id of the event.
  'event_matches',
  'counters',
  'resources',
  'udf_definitions',
  // Of one tenant: a rotation then changes the version of the tenant's webhooks.
  'signing_keys',
  // By key.
  'webhooks',
  // By key of the webhook. By tenant and entity, and before the seconds of the window.
  'threshold_windows',
  // By key of the webhook.
  'webhook_rates',
  // By key of the webhook.
  'webhook_health',
  // By webhook, record and sequence number.
  'open_callouts',
  // By webhook and record.
  'mergeable_callouts',
  // Ended ones, by id.
  'callouts',
] as const;

export type LockRank = (typeof lockRanks)[number];

/** Rows that a statement locks. */
export interface LockStep {
  rank: LockRank;
  /** The caller may have locked the same rows earlier, and further rows since then. */
  unlessHeld: boolean;
}

/** A global that Jest sets (jest.config.js): in production nothing is recorded or compared. */
export const isLockOrderChecked = 'calloutChecksLockOrder' in globalThis;

const lockedRanks = new WeakMap<Pool | ClientBase, Set<LockRank>>();

/** From here on, locks on this connection are compared with the order; for tests only. */
export function beginLockOrder(transaction: ClientBase): void {
  if (isLockOrderChecked) lockedRanks.set(transaction, new Set());
}

/** The transaction is over, and has no locks. */
export function endLockOrder(transaction: ClientBase): void {
  if (isLockOrderChecked) lockedRanks.delete(transaction);
}

/**
 * Records the locks of a statement. A statement outside of a transaction is not checked.
 * @throws Error with a sentence about the lock that comes too late.
 */
export function noteLocks(client: Pool | ClientBase, name: string, locks: readonly LockStep[]): void {
  const ranks = lockedRanks.get(client);
  if (ranks === undefined) return;
  for (const { rank, unlessHeld } of locks) {
    const later = [...ranks].find((one) => lockRanks.indexOf(one) > lockRanks.indexOf(rank));
    if (later !== undefined && !(unlessHeld && ranks.has(rank))) {
      throw new Error(
        `${name} locks rows of ${rank}, but its transaction has locked rows of ${later} already: lockRanks says in which order`,
      );
    }
    ranks.add(rank);
  }
}
