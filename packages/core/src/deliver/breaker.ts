import type { AttemptFailureReason, AttemptOutcome } from './outcome/outcome.ts';

/** How a webhook's receiver fares. Kept only while something is wrong: a webhook without it is well. */
export interface ReceiverHealth {
  /** Callouts in a row that used up their attempts. */
  failedInRow: number;
  /** Attempts in a row that failed as if the receiver were down. */
  downInRow: number;
  /** When the first failure since the last success came. */
  failingSince: Date | null;
  /** The last failure in words. */
  lastFailure: string | null;
  /** While paused nothing is sent until then, and then one call at a time. */
  pausedUntil: Date | null;
  /** Pauses in a row; 0: not paused. */
  pauses: number;
  /** The lease of the one call that finds out whether the receiver is back. */
  probeLease: string | null;
}

/** What one attempt says of its receiver. */
export interface AttemptSignal {
  /** 'rejected': the receiver is there, and does not want this callout. */
  kind: 'delivered' | 'down' | 'rejected';
  leaseOwner: string;
  /** In words; null when it was delivered. */
  failure: string | null;
  /** The callout used up its attempts, and that counts towards deactivation. */
  countsAsFailed: boolean;
}

const wellHealth: ReceiverHealth = {
  failedInRow: 0,
  downInRow: 0,
  failingSince: null,
  lastFailure: null,
  pausedUntil: null,
  pauses: 0,
  probeLease: null,
};

/** Failures in a row after which a receiver counts as down. */
const downAfter = 10;
const firstPauseMs = 5_000;
export const longestPauseMs = 60_000;
/** Pauses are longer or shorter by up to this share, so that receivers behind one host are not all asked at once. */
const pauseJitter = 0.2;

/** A program that fetches callouts comes by itself: there is nothing to pause. */
const ofPulling: ReadonlySet<string> = new Set<AttemptFailureReason>(['nacked', 'leaseLapsed', 'notFetched']);

/**
 * What an outcome says of the receiver. Down: no usable answer, 429, 408 or 5xx. Any other answer is the receiver's own
 * word on this callout, so it is there.
 */
export function signalOf(outcome: AttemptOutcome): AttemptSignal['kind'] {
  if (outcome.kind === 'failed') return ofPulling.has(outcome.reason) ? 'rejected' : 'down';
  const { status } = outcome;
  if (status >= 200 && status <= 299) return 'delivered';
  return status >= 500 || status === 429 || status === 408 ? 'down' : 'rejected';
}

/**
 * The circuit breaker: ten failures in a row pause a webhook for 5 s; then a single call, the probe, finds out whether the
 * receiver is back. A probe that fails makes the next pause twice as long, up to a minute. Any success ends it all.
 * @param signals in the order in which the attempts ended.
 * @param random returns numbers from 0 to below 1.
 * @returns null when the receiver is well.
 */
export function nextHealth(
  known: ReceiverHealth | null,
  signals: readonly AttemptSignal[],
  now: Date,
  random: () => number,
): ReceiverHealth | null {
  let health = known ?? wellHealth;
  for (const signal of signals) health = afterSignal(health, signal, now, random);
  return health === wellHealth ? null : health;
}

function afterSignal(health: ReceiverHealth, signal: AttemptSignal, now: Date, random: () => number): ReceiverHealth {
  if (signal.kind === 'delivered') return wellHealth;
  const failing: ReceiverHealth = {
    ...health,
    failedInRow: health.failedInRow + (signal.countsAsFailed ? 1 : 0),
    failingSince: health.failingSince ?? now,
    lastFailure: signal.failure,
  };
  const isProbe = health.probeLease === signal.leaseOwner;
  if (signal.kind === 'rejected') return { ...failing, downInRow: 0, pausedUntil: null, pauses: 0, probeLease: null };
  failing.downInRow += 1;
  // Calls that were under way when the pause began say nothing new.
  const pauses = isProbe || (health.pauses === 0 && failing.downInRow >= downAfter);
  return pauses ? paused(failing, now, random) : failing;
}

function paused(health: ReceiverHealth, now: Date, random: () => number): ReceiverHealth {
  const pauseMs = Math.min(firstPauseMs * 2 ** health.pauses, longestPauseMs);
  const jittered = Math.round(pauseMs * (1 + pauseJitter * (2 * random() - 1)));
  const pausedUntil = new Date(now.getTime() + jittered);
  return { ...health, pausedUntil, pauses: health.pauses + 1, probeLease: null };
}
