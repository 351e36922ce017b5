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

/** The shortest and the longest time, in milliseconds. */
export type Range = readonly [least: number, most: number];

/** One target and its faults, in an order that the seed decides. */
export interface FaultPlan {
  readonly name: string;
  /** The pause before each fault. */
  readonly pauseMs: Range;
  readonly faults: readonly Fault[];
  /** Asked before each fault: until then all of them happen again and again. Absent: each happens once. */
  readonly isOver?: () => boolean;
}

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

export const DOWN_MS: Range = [0, 900];
const PAUSE_MS: Range = [150, 1500];

export const killed = (slot: Slot): Fault => ({
  name: 'killed',
  happen: (random) => slot.restart('SIGKILL', random.between(...DOWN_MS)),
});
export const emptied = (services: DrillServices): Fault => ({ name: 'emptied', happen: () => services.emptyRedis() });
export const postgresKilled = (services: DrillServices): Fault => ({
  name: 'killed',
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
