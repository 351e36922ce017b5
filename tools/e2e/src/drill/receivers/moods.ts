import type { ScriptedResponse } from '@callout/testing';
import type { Random } from '../random.ts';

/** How a receiver behaves. */
export type Mood = 'prompt' | 'slow' | 'sluggish' | 'moody' | 'outage';

/**
 * The requests that a receiver with an outage fails: enough in a row to count as down, and to be paused for a while.
 */
const outage = { from: 5, to: 15 };

/** The response of a receiver to its next request. @param nth the number of its requests, this one included. */
export const moods: Readonly<Record<Mood, (random: Random, nth: number) => ScriptedResponse>> = {
  prompt: () => ({ status: 200 }),
  slow: (random) => ({ status: 200, delayMs: random.between(10, 200) }),
  /** Slow enough that something is always open. */
  sluggish: (random) => ({ status: 200, delayMs: random.between(200, 700) }),
  outage: (_, nth) => ({ status: nth >= outage.from && nth < outage.to ? 500 : 200 }),
  moody: (random) => (random.chance(0.85) ? { status: 204 } : random.pick(failures)),
};

const failures: readonly ScriptedResponse[] = [
  { status: 500 },
  { status: 503, headers: { 'Retry-After': '1' } },
  { status: 301, headers: { Location: '/elsewhere' } },
  'reset',
  'hang',
];
