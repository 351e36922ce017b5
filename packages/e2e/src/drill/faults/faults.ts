import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Machine } from './machine.ts';
import type { DrillServices } from './services.ts';
import type { Slot } from './slot.ts';

/** Something that goes wrong, and is over when the promise resolves. */
export interface Fault {
  readonly name: string;
  readonly happen: (random: Random) => Promise<unknown>;
}

/** One target and its faults, in an order that the seed decides. */
export interface FaultPlan {
  readonly name: string;
  /** Shortest and longest pause before each fault. */
  readonly pauseMs: readonly [number, number];
  readonly faults: readonly Fault[];
  /** Asked before each fault: until then all of them happen again and again. Absent: each happens once. */
  readonly isOver?: () => boolean;
}

const PAUSE_MS = [150, 1500] as const;
/** While the API is down nothing is written, and without writing the rest is no trial. */
const API_PAUSE_MS = [1000, 2500] as const;
const DOWN_MS = [0, 900] as const;
/** Longer than a lease, so that others continue the work of the frozen worker. */
const FROZEN_MS = [2200, 3000] as const;
/** Longer than PostgreSQL lets an idle transaction stay open. */
const SILENT_MS = [5500, 6500] as const;

export interface Targets<Servers> {
  readonly services: Servers;
  readonly api: Slot;
  /** All APIs, that one first. */
  readonly apis: readonly Slot[];
  readonly workers: readonly Slot[];
  /** Processes of another version. */
  readonly beside: readonly Slot[];
  /** Where the scenario gives each process a machine of its own. */
  readonly machineOf: (slot: Slot) => Machine;
}

const killed = (slot: Slot): Fault => ({
  name: 'kill -9',
  happen: (random) => slot.restart('SIGKILL', random.between(...DOWN_MS)),
});
const emptied = (services: DrillServices): Fault => ({ name: 'emptied', happen: () => services.emptyRedis() });
const postgresKilled = (services: DrillServices): Fault => ({
  name: 'kill -9',
  happen: (random) => services.killPostgres(random.between(...DOWN_MS)),
});

/** The worst that can happen to each target: at all of them at the same time, and once. */
export function briefFaultPlans({ services, api, workers }: Targets<DrillServices>): FaultPlan[] {
  return [
    { name: 'Redis', pauseMs: PAUSE_MS, faults: [emptied(services)] },
    { name: 'PostgreSQL', pauseMs: PAUSE_MS, faults: [postgresKilled(services)] },
    ...[api, ...workers].map((slot) => ({ name: slot.name, pauseMs: PAUSE_MS, faults: [killed(slot)] })),
  ];
}

/**
 * Everything that is done to an installation: to all targets at the same time, to each one fault after another.
 * @param rounds how often each fault happens.
 */
export function faultPlans(targets: Targets<DrillServices>, rounds: number): FaultPlan[] {
  const { services, api, workers, machineOf } = targets;
  const stopped = (slot: Slot): Fault => ({
    name: 'SIGTERM',
    happen: (random) => slot.restart('SIGTERM', random.between(...DOWN_MS)),
  });
  const frozen = (slot: Slot): Fault => ({
    name: 'frozen',
    happen: (random) => slot.freeze(random.between(...FROZEN_MS)),
  });
  const silenced = (slot: Slot): Fault => ({
    name: 'packets dropped',
    happen: (random) => machineOf(slot).dropPackets(random.between(...SILENT_MS)),
  });
  const cutOff = (slot: Slot): Fault => ({
    name: 'connections broken',
    happen: async () => machineOf(slot).cutConnections(),
  });
  const redisRestarted: Fault = {
    name: 'restarted',
    happen: (random) => services.restartRedis(random.between(...DOWN_MS)),
  };
  const postgresRestarted: Fault = {
    name: 'restarted',
    happen: (random) => services.restartPostgres(random.between(...DOWN_MS)),
  };
  const setBack: Fault = {
    name: 'set back',
    happen: (random) => services.setRedisBack(random.between(...PAUSE_MS)),
  };
  const empty = emptied(services);
  const plans: FaultPlan[] = [
    { name: 'Redis', pauseMs: PAUSE_MS, faults: [empty, empty, empty, redisRestarted, setBack] },
    { name: 'PostgreSQL', pauseMs: PAUSE_MS, faults: [postgresRestarted, postgresKilled(services)] },
    {
      name: api.name,
      pauseMs: API_PAUSE_MS,
      faults: [killed(api), killed(api), stopped(api), cutOff(api), frozen(api)],
    },
    ...workers.map((worker) => ({
      name: worker.name,
      pauseMs: PAUSE_MS,
      faults: [killed(worker), stopped(worker), frozen(worker), cutOff(worker), silenced(worker)],
    })),
  ];
  return plans.map((plan) => ({ ...plan, faults: Array.from({ length: rounds }, () => plan.faults).flat() }));
}

/**
 * Injects all faults, with random pauses. Resolves when all are over and every target is up again. @returns a
 * description of them.
 */
export async function injectFaults(random: Random, all: readonly FaultPlan[]): Promise<string[]> {
  return Promise.all(
    all.map(async ({ name, pauseMs, faults, isOver }) => {
      const chance = random.branch(name);
      const happened: string[] = [];
      const inOrder = isOver === undefined ? chance.shuffle(faults) : endless(() => chance.shuffle(faults));
      for (const fault of inOrder) {
        await sleep(chance.between(...pauseMs));
        if (isOver?.()) break;
        await fault.happen(chance);
        happened.push(fault.name);
      }
      return `${name} ${happened.join(', ')}`;
    }),
  );
}

function* endless<T>(deal: () => readonly T[]): Generator<T> {
  for (;;) yield* deal();
}
