/** The health of a webhook's receiver. Stored only after failures: a webhook without it is healthy. */
export interface ReceiverHealth {
  /** Callouts in a row that used up their attempts. */
  failedInRow: number;
  /** Attempts in a row that failed as if the receiver were down. */
  downInRow: number;
  /** When the first attempt began that failed since the last success. */
  failingSince: Date | null;
  /** The last failure as a sentence. */
  lastFailure: string | null;
  /** Until then nothing is sent; after it, one call at a time. */
  pausedUntil: Date | null;
  /** Pauses in a row; 0: not paused. */
  pauses: number;
  /** The lease of the probe, which finds out whether the receiver is back. */
  probeLease: string | null;
  /** When its oldest callout is sent before its time, to find out whether the receiver is back. */
  probeAt: Date | null;
  /** The number of the last callout with which its receiver refused a probe: the next probe sends the one after it. */
  refusedNumber: number | null;
  /** Whether its people were notified that it is failing. */
  isReported: boolean;
}

/** The signal of one attempt about its receiver. */
export interface AttemptSignal {
  /** 'rejected': the receiver works, and does not accept this callout. */
  kind: 'delivered' | 'down' | 'rejected';
  leaseOwner: string;
  durationMs: number;
  /** A sentence; null when it was delivered. */
  failure: string | null;
  /** Whether the callout used up its attempts, and that counts towards deactivation. */
  countsAsFailed: boolean;
  /** The wait that the receiver asked for; absent: none. */
  askedWaitMs?: number;
  /** The number of its callout, of a probe whose answer may be about this callout alone; absent: it is not. */
  refusedNumber?: number;
}

const wellHealth: ReceiverHealth = {
  failedInRow: 0,
  downInRow: 0,
  failingSince: null,
  lastFailure: null,
  pausedUntil: null,
  pauses: 0,
  probeLease: null,
  probeAt: null,
  refusedNumber: null,
  isReported: false,
};

/** Failures in a row after which a receiver counts as down. */
const downAfter = 10;
const firstPauseMs = 5_000;
export const longestPauseMs = 60_000;
/**
 * Pauses are longer or shorter by up to this share, so that receivers behind one host do not all get their probes at
 * once.
 */
const pauseJitter = 0.2;
/** The time between two probes is this share of the time since the first failure, within its bounds. */
const probePace = 0.1;
const firstProbeMs = 60_000;
const longestProbeMs = 600_000;
/** Probes come sooner by up to this share, so that those of receivers that failed together are spread. */
const probeJitter = 0.2;

/**
 * The circuit breaker: ten failures in a row pause a webhook for 5 s; then a single call, the probe, finds out whether
 * the receiver is back. A probe that fails doubles the next pause, up to a minute. Any success ends the pause.
 *
 * Each failure also sets the time of the next probe, paused or not: when no callout is due until then, the oldest is sent
 * before its time (contract, section 13, "Recovery"). A receiver may refuse that callout for good and accept others, so
 * after such an answer the next probe sends the next callout in turn.
 * @param signals in the order in which the attempts ended.
 * @param random returns numbers from 0 to below 1.
 * @returns null when the receiver is healthy.
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
  const failingSince = health.failingSince ?? new Date(now.getTime() - signal.durationMs);
  const failing: ReceiverHealth = {
    ...health,
    failedInRow: health.failedInRow + (signal.countsAsFailed ? 1 : 0),
    failingSince,
    lastFailure: signal.failure,
    probeAt: nextProbeAt(failingSince, signal, now, random),
    refusedNumber: signal.refusedNumber ?? health.refusedNumber,
  };
  const isProbe = health.probeLease === signal.leaseOwner;
  if (signal.kind === 'rejected') return { ...failing, downInRow: 0, pausedUntil: null, pauses: 0, probeLease: null };
  failing.downInRow += 1;
  // Calls that were under way when the pause began are no news.
  const pauses = isProbe || (health.pauses === 0 && failing.downInRow >= downAfter);
  return pauses ? paused(failing, now, random) : failing;
}

function paused(health: ReceiverHealth, now: Date, random: () => number): ReceiverHealth {
  const pauseMs = Math.min(firstPauseMs * 2 ** health.pauses, longestPauseMs);
  const jittered = Math.round(pauseMs * (1 + pauseJitter * (2 * random() - 1)));
  const pausedUntil = new Date(now.getTime() + jittered);
  return { ...health, pausedUntil, pauses: health.pauses + 1, probeLease: null };
}

/** Each minute at first, then ever more seldom, up to every ten minutes; never within a wait that the receiver asked for. */
function nextProbeAt(failingSince: Date, { askedWaitMs = 0 }: AttemptSignal, now: Date, random: () => number): Date {
  const paceMs = probePace * (now.getTime() - failingSince.getTime());
  const waitMs = Math.min(Math.max(paceMs, firstProbeMs), longestProbeMs) * (1 - probeJitter * random());
  return new Date(now.getTime() + Math.max(Math.round(waitMs), askedWaitMs));
}
