import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
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
}

const PAUSE_MS = [150, 1500] as const;
/** While the API is down nothing is written, and without writing the rest is no trial. */
const API_PAUSE_MS = [1000, 2500] as const;
const DOWN_MS = [0, 900] as const;
/** Longer than a lease, so that others go on with what the frozen worker holds. */
const FROZEN_MS = [2200, 3000] as const;

export interface Targets<Servers> {
  readonly services: Servers;
  readonly api: Slot;
  readonly workers: readonly Slot[];
  /** Those of another version. */
  readonly beside: readonly Slot[];
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
export function faultPlans({ services, api, workers }: Targets<DrillServices>, rounds: number): FaultPlan[] {
  const stopped = (slot: Slot): Fault => ({
    name: 'SIGTERM',
    happen: (random) => slot.restart('SIGTERM', random.between(...DOWN_MS)),
  });
  const frozen = (slot: Slot): Fault => ({
    name: 'frozen',
    happen: (random) => slot.freeze(random.between(...FROZEN_MS)),
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
    { name: api.name, pauseMs: API_PAUSE_MS, faults: [killed(api), killed(api), stopped(api)] },
    ...workers.map((worker) => ({
      name: worker.name,
      pauseMs: PAUSE_MS,
      faults: [killed(worker), stopped(worker), frozen(worker)],
    })),
  ];
  return plans.map((plan) => ({ ...plan, faults: Array.from({ length: rounds }, () => plan.faults).flat() }));
}

/**
 * Injects all faults, with random pauses. Resolves when all are over and every target is up again.
 * @returns what happened, in words.
 */
export async function injectFaults(random: Random, all: readonly FaultPlan[]): Promise<string[]> {
  return Promise.all(
    all.map(async ({ name, pauseMs, faults }) => {
      const chance = random.branch(name);
      const order = chance.shuffle(faults);
      for (const fault of order) {
        await sleep(chance.between(...pauseMs));
        await fault.happen(chance);
      }
      return `${name} ${order.map((fault) => fault.name).join(', ')}`;
    }),
  );
}
