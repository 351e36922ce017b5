import { freeAttempts } from '@callout/domain/threshold';
import { callsAllowed, nextCallAfter } from '../rate/rate.rules.ts';

/** How much of a threshold is used, in the mode `spread`. */
export interface SpreadWindow {
  /** First attempts in any hour. */
  readonly limit: number;
  /** Those of the last hour. */
  readonly used: number;
  /** The mean age of those, in seconds. */
  readonly meanAgeS: number;
  /** When the next held callout may be released; null: at once. */
  readonly nextReleaseAt: Date | null;
  readonly now: Date;
}

const hourS = 3_600;
/** Workers look once a second, and may be late. */
const keptMs = 5_000;

/**
 * How many held callouts may be released now. Up to three quarters of the limit are free; the rest is spread evenly
 * over what remains of the hour, that is, until an attempt of mean age no longer counts. The oldest one would be the
 * wrong measure: with attempts all the time it is always about to leave.
 */
export function roomToSpread(window: SpreadWindow): number {
  const { limit, used, nextReleaseAt, now } = window;
  const free = Math.max(0, freeAttempts(limit, true) - used);
  const rest = limit - used - free;
  if (rest <= 0) return Math.max(0, free);
  const limits = { perSecond: perSecondOf(window), atOnce: null };
  return free + callsAllowed(limits, { nextCallAt: nextReleaseAt ?? now, underWay: 0 }, now, rest, keptMs);
}

/** When the next one may be released, after some that are released now. */
export function nextReleaseAfter(window: SpreadWindow, released: number): Date {
  const { limit, used, nextReleaseAt, now } = window;
  const paced = released - Math.max(0, freeAttempts(limit, true) - used);
  const from = nextReleaseAt ?? now;
  if (paced <= 0) return from;
  return nextCallAfter({ perSecond: perSecondOf(window), atOnce: null }, from, now, paced, keptMs);
}

/** The rest of the allowance, over the rest of the hour. */
function perSecondOf({ limit, used, meanAgeS }: SpreadWindow): number {
  const rest = limit - Math.max(used, freeAttempts(limit, true));
  return rest / Math.max(1, hourS - meanAgeS);
}

/**
 * Whether an episode goes on though nothing is held: otherwise each callout beyond three quarters would be an episode
 * of its own, with mail at its begin and end.
 */
export function goesOn({ limit, used }: Pick<SpreadWindow, 'limit' | 'used'>): boolean {
  return used >= freeAttempts(limit, true) * (2 / 3);
}
