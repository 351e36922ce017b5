import type { Behaviour } from '../receiver/counting-receiver.ts';

/** How large a run is. */
export interface IsolationSize {
  /** Each with a receiver of its own, and each event is owed to all of them. */
  readonly webhooks: number;
  readonly eventsPerS: number;
  readonly eventsPerRound: number;
  /** How often each trouble takes its turn. */
  readonly cycles: number;
}

/** A part of the run in which the receivers behave in one way. */
export interface Round {
  /** How some receivers behave; 'prompt': all are well. */
  readonly trouble: Behaviour;
  /** One for each webhook. */
  readonly behaviours: readonly Behaviour[];
  /** Its events: from this number on, so many of them. */
  readonly firstEvent: number;
  readonly events: number;
}

/** Each with its share of the webhooks. */
const badReceivers: readonly (readonly [behaviour: Behaviour, share: number])[] = [
  ['hanging', 0.01],
  ['failing', 0.1],
  ['slow', 0.1],
];

/** Every round with a problem is between two without one, with which it is compared. */
export function roundsOf({ webhooks, eventsPerRound, cycles }: Omit<IsolationSize, 'eventsPerS'>): Round[] {
  const clean = Array.from({ length: webhooks }, (): Behaviour => 'prompt');
  const kinds: Pick<Round, 'trouble' | 'behaviours'>[] = [{ trouble: 'prompt', behaviours: clean }];
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    for (const [trouble, share] of badReceivers) {
      const bad = spread(webhooks, Math.max(1, Math.round(share * webhooks)));
      const behaviours = clean.map((prompt, webhook) => (bad.has(webhook) ? trouble : prompt));
      kinds.push({ trouble, behaviours }, { trouble: 'prompt', behaviours: clean });
    }
  }
  return kinds.map((kind, index) => ({ ...kind, firstEvent: index * eventsPerRound, events: eventsPerRound }));
}

/** So many of the webhooks, evenly: not the first ones, whose turn may come first. */
function spread(webhooks: number, count: number): ReadonlySet<number> {
  const step = webhooks / count;
  return new Set(Array.from({ length: count }, (_, index) => Math.floor((index + 0.5) * step)));
}
