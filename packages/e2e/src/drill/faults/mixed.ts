import type { FaultPlan, Targets } from './faults.ts';
import type { Machine } from './machine.ts';
import type { DrillServices } from './services.ts';
import type { Slot } from './slot.ts';
import type { Random } from '../random.ts';
import { say } from '../say.ts';

/** The length of a drill of everything: a number of faults, or a time. */
export interface Extent {
  readonly faults: number;
  readonly minutes: number;
}

/** The number of faults, by target and kind. */
export type Tally = Map<string, number>;

type Range = readonly [least: number, most: number];

const BRIEF_MS: Range = [0, 900];
/** Longer than a lease, so that others continue the work of the frozen process. */
const FROZEN_MS: Range = [2_200, 3_000];
/** Longer than PostgreSQL lets an idle transaction stay open. */
const FROZEN_LONGER_MS: Range = [6_000, 12_000];
const FROZEN_LONG_MS: Range = [61_000, 75_000];
const SILENT_MS: Range = [1_500, 9_000];
/** Longer than any statement is waited for. */
const SILENT_LONG_MS: Range = [22_000, 35_000];
const FULL_MS: Range = [2_000, 6_000];
/** Receivers refuse signatures that are five minutes old. */
const SET_BACK_BY_MS: Range = [5_000, 200_000];
const SET_BACK_FOR_MS: Range = [2_000, 6_000];

type Kind = readonly [name: string, weight: number, happen: (random: Random) => Promise<unknown>];

/**
 * Everything that can go wrong, at all targets at the same time, again and again. The seed decides in which order each
 * target has it.
 * @param tally is kept up to date.
 */
export function mixedPlans(
  { services, apis, workers, machineOf }: Targets<DrillServices>,
  { faults, minutes }: Extent,
  tally: Tally,
): FaultPlan[] {
  const endsAtMs = performance.now() + minutes * 60_000;
  let begun = 0;
  const isOver = () => begun >= faults || performance.now() > endsAtMs;
  const planOf = (name: string, target: string, pauseMs: Range, kinds: readonly Kind[]): FaultPlan => ({
    name,
    pauseMs,
    isOver,
    faults: kinds.flatMap(([kind, weight, happen]) =>
      Array.from({ length: weight }, () => ({
        name: kind,
        happen: async (random: Random) => {
          begun += 1;
          if (begun % 100 === 0) say(`${begun} of ${faults} faults have begun`);
          await happen(random);
          const known = `${target}: ${kind}`;
          tally.set(known, (tally.get(known) ?? 0) + 1);
        },
      })),
    ),
  });
  const processKinds = (slot: Slot, machine: Machine): Kind[] => [
    ['killed', 6, (random) => slot.restart('SIGKILL', random.between(...BRIEF_MS))],
    ['stopped by SIGTERM', 2, (random) => slot.restart('SIGTERM', random.between(...BRIEF_MS))],
    ['frozen for 2 to 3 s', 3, (random) => slot.freeze(random.between(...FROZEN_MS))],
    ['frozen for 6 to 12 s', 2, (random) => slot.freeze(random.between(...FROZEN_LONGER_MS))],
    ['frozen for 61 to 75 s', 1, (random) => slot.freeze(random.between(...FROZEN_LONG_MS))],
    ['connections broken', 3, async () => machine.cutConnections()],
    ['packets dropped for 2 to 9 s', 2, (random) => machine.dropPackets(random.between(...SILENT_MS))],
    ['packets dropped for 22 to 35 s', 1, (random) => machine.dropPackets(random.between(...SILENT_LONG_MS))],
    [
      'clock set back by 5 to 200 s',
      2,
      (random) => machine.setClockBack(random.between(...SET_BACK_BY_MS), random.between(...SET_BACK_FOR_MS)),
    ],
  ];
  const { fillDisk } = services;
  if (fillDisk === undefined) say('no disk is filled: that needs a file system of its own, which only root can mount');
  return [
    planOf(
      'Redis',
      'Redis',
      [300, 2_500],
      [
        ['emptied', 6, () => services.emptyRedis()],
        ['restarted', 2, (random) => services.restartRedis(random.between(...BRIEF_MS))],
        ['set back to an older state', 2, (random) => services.setRedisBack(random.between(...BRIEF_MS))],
      ],
    ),
    planOf(
      'PostgreSQL',
      'PostgreSQL',
      [3_000, 9_000],
      [
        ['killed', 3, (random) => services.killPostgres(random.between(...BRIEF_MS))],
        ['restarted', 2, (random) => services.restartPostgres(random.between(...BRIEF_MS))],
        ...(fillDisk === undefined
          ? []
          : [['disk full', 1, (random: Random) => fillDisk(random.between(...FULL_MS))] as Kind]),
      ],
    ),
    ...apis.map((slot) => planOf(slot.name, 'API', [500, 2_500], processKinds(slot, machineOf(slot)))),
    ...workers.map((slot) => planOf(slot.name, 'worker', [500, 2_500], processKinds(slot, machineOf(slot)))),
  ];
}
