import type { Random } from '../random.ts';
import { say } from '../say.ts';
import {
  DOWN_MS,
  emptied,
  killed,
  postgresKilled,
  type Fault,
  type FaultPlan,
  type Range,
  type Targets,
} from './faults.ts';
import type { Machine } from './machine.ts';
import type { DrillServices } from './services.ts';
import type { Slot } from './slot.ts';

/** The length of a long drill: a number of faults, or a time. */
export interface Extent {
  readonly faults: number;
  readonly minutes: number;
}

/** The number of faults, by target and kind. */
export type Tally = Map<string, number>;

interface Kind extends Fault {
  /** How often it happens in a long drill, against the others. */
  readonly weight: number;
  /** It takes so long, or needs so much, that only a long drill has it. */
  readonly isLong?: boolean;
}

interface Target {
  readonly name: string;
  /** What it is, for the tally. */
  readonly what: string;
  readonly pauseMs: Range;
  readonly kinds: readonly Kind[];
}

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

/** A fault that lasts for a random time. */
const lasting = (name: string, weight: number, range: Range, happen: (ms: number) => Promise<unknown>): Kind => ({
  name,
  weight,
  happen: (random) => happen(random.between(...range)),
});

const ofProcess = (slot: Slot, machine: Machine): readonly Kind[] => [
  { ...killed(slot), weight: 6 },
  lasting('stopped by SIGTERM', 2, DOWN_MS, (ms) => slot.restart('SIGTERM', ms)),
  lasting('frozen for 2 to 3 s', 3, FROZEN_MS, (ms) => slot.freeze(ms)),
  { ...lasting('frozen for 6 to 12 s', 2, FROZEN_LONGER_MS, (ms) => slot.freeze(ms)), isLong: true },
  { ...lasting('frozen for 61 to 75 s', 1, FROZEN_LONG_MS, (ms) => slot.freeze(ms)), isLong: true },
  { name: 'connections broken', weight: 3, happen: async () => machine.cutConnections() },
  lasting('packets dropped for 2 to 9 s', 2, SILENT_MS, (ms) => machine.dropPackets(ms)),
  { ...lasting('packets dropped for 22 to 35 s', 1, SILENT_LONG_MS, (ms) => machine.dropPackets(ms)), isLong: true },
  {
    name: 'clock set back by 5 to 200 s',
    weight: 2,
    isLong: true,
    happen: (random) => machine.setClockBack(random.between(...SET_BACK_BY_MS), random.between(...SET_BACK_FOR_MS)),
  },
];

/** Everything that can go wrong, by target. */
function everyTarget({ services, apis, workers, machineOf }: Targets<DrillServices>): readonly Target[] {
  const { fillDisk } = services;
  const process = (what: string, pauseMs: Range) => (slot: Slot) => ({
    ...{ name: slot.name, what, pauseMs },
    kinds: ofProcess(slot, machineOf(slot)),
  });
  return [
    {
      ...{ name: 'Redis', what: 'Redis', pauseMs: [300, 2_500] },
      kinds: [
        { ...emptied(services), weight: 6 },
        lasting('restarted', 2, DOWN_MS, (ms) => services.restartRedis(ms)),
        lasting('set back to an older state', 2, DOWN_MS, (ms) => services.setRedisBack(ms)),
      ],
    },
    {
      ...{ name: 'PostgreSQL', what: 'PostgreSQL', pauseMs: [3_000, 9_000] },
      kinds: [
        { ...postgresKilled(services), weight: 3 },
        lasting('restarted', 2, DOWN_MS, (ms) => services.restartPostgres(ms)),
        ...(fillDisk === undefined ? [] : [{ ...lasting('disk full', 1, FULL_MS, fillDisk), isLong: true }]),
      ],
    },
    // While the API is down nothing is written, and without writing the rest is no trial.
    ...apis.map(process('API', [1_000, 2_500])),
    ...workers.map(process('worker', [500, 2_500])),
  ];
}

/**
 * What takes a short time, at all targets at the same time, at each one fault after another.
 * @param rounds how often each fault happens.
 */
export function shortPlans(targets: Targets<DrillServices>, rounds: number): FaultPlan[] {
  return everyTarget(targets).map(({ name, pauseMs, kinds }) => {
    const faults = kinds.filter(({ isLong = false }) => !isLong);
    return { name, pauseMs, faults: Array.from({ length: rounds }, () => faults).flat() };
  });
}

/**
 * Everything that can go wrong, at all targets at the same time, again and again. The seed decides in which order each
 * target has it.
 * @param tally is kept up to date.
 */
export function mixedPlans(targets: Targets<DrillServices>, { faults, minutes }: Extent, tally: Tally): FaultPlan[] {
  if (targets.services.fillDisk === undefined)
    say('no disk is filled: that needs a file system of its own, which only root can mount');
  const endsAtMs = performance.now() + minutes * 60_000;
  let begun = 0;
  const counted = (what: string, { name, happen }: Kind): Fault => ({
    name,
    async happen(random: Random) {
      begun += 1;
      if (begun % 100 === 0) say(`${begun} of ${faults} faults have begun`);
      await happen(random);
      const known = `${what}: ${name}`;
      tally.set(known, (tally.get(known) ?? 0) + 1);
    },
  });
  return everyTarget(targets).map(({ name, what, pauseMs, kinds }) => ({
    name,
    pauseMs,
    isOver: () => begun >= faults || performance.now() > endsAtMs,
    faults: kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => counted(what, kind))),
  }));
}
