import type { ScriptedAnswer } from '@callout/testing';
import type { Random } from './random.ts';

/** How a receiver behaves. */
export type Mood = 'prompt' | 'slow' | 'moody';

/** What a receiver does with its next request. */
export const moods: Readonly<Record<Mood, (random: Random) => ScriptedAnswer>> = {
  prompt: () => ({ status: 200 }),
  slow: (random) => ({ status: 200, delayMs: random.between(10, 200) }),
  moody: (random) => (random.chance(0.85) ? { status: 204 } : random.pick(failures)),
};

const failures: readonly ScriptedAnswer[] = [
  { status: 500 },
  { status: 503, headers: { 'Retry-After': '1' } },
  { status: 301, headers: { Location: '/elsewhere' } },
  'reset',
  'hang',
];
