import type { Behaviour } from '../receiver/messages.ts';

/** What is wrong with some of the receivers during a round. */
export type Trouble = 'none' | 'hanging' | 'failing' | 'slow';

/** A part of the run in which the receivers behave in one way. */
export interface Round {
  readonly trouble: Trouble;
  /** One for each webhook. */
  readonly behaviours: readonly Behaviour[];
  /** Its events: from this number on, so many of them. */
  readonly firstEvent: number;
  readonly events: number;
}

interface BadReceivers {
  readonly trouble: Exclude<Trouble, 'none'>;
  readonly behaviour: Behaviour;
  /** Of all webhooks. */
  readonly share: number;
}

const badReceivers: readonly BadReceivers[] = [
  { trouble: 'hanging', behaviour: 'hanging', share: 0.01 },
  { trouble: 'failing', behaviour: 'broken', share: 0.1 },
  { trouble: 'slow', behaviour: 'sluggish', share: 0.1 },
];

export interface RoundsOptions {
  readonly webhooks: number;
  readonly eventsPerRound: number;
  /** How often each trouble takes its turn. */
  readonly cycles: number;
}

/** Every round with a problem is between two without one, with which it is compared. */
export function roundsOf({ webhooks, eventsPerRound, cycles }: RoundsOptions): Round[] {
  const clean = Array.from({ length: webhooks }, (): Behaviour => 'prompt');
  const kinds: Pick<Round, 'trouble' | 'behaviours'>[] = [{ trouble: 'none', behaviours: clean }];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    for (const { trouble, behaviour, share } of badReceivers) {
      const bad = spread(webhooks, Math.max(1, Math.round(share * webhooks)));
      const behaviours = clean.map((prompt, webhook) => (bad.has(webhook) ? behaviour : prompt));
      kinds.push({ trouble, behaviours }, { trouble: 'none', behaviours: clean });
    }
  }
  return kinds.map((kind, index) => ({ ...kind, firstEvent: index * eventsPerRound, events: eventsPerRound }));
}

/** So many of the webhooks, evenly: not the first ones, whose turn may come first. */
function spread(webhooks: number, count: number): ReadonlySet<number> {
  const step = webhooks / count;
  return new Set(Array.from({ length: count }, (_, index) => Math.floor((index + 0.5) * step)));
}
