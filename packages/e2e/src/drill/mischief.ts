import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { DrillServices } from './services.ts';
import type { Slot } from './slot.ts';

/** Something that goes wrong, and is over when the promise resolves. */
interface Mishap {
  readonly name: string;
  readonly happen: (random: Random) => Promise<unknown>;
}

/** One victim and what it has to go through, in an order of the seed's choice. */
interface Ordeal {
  readonly name: string;
  /** Shortest and longest time of peace before each mishap. */
  readonly peaceMs: readonly [number, number];
  readonly mishaps: readonly Mishap[];
}

const PEACE_MS = [150, 1500] as const;
/** While the API is down nothing is written, and without writing the rest is no trial. */
const API_PEACE_MS = [1000, 2500] as const;
const DOWN_MS = [0, 900] as const;
/** Longer than a lease, so that others go on with what the frozen worker holds. */
const FROZEN_MS = [2200, 3000] as const;

export interface Victims {
  readonly services: DrillServices;
  readonly api: Slot;
  readonly workers: readonly Slot[];
}

/** Everything that is done to an installation. The victims suffer side by side, each one mishap after another. */
export function ordeals({ services, api, workers }: Victims): Ordeal[] {
  const killed = (slot: Slot): Mishap => ({
    name: 'kill -9',
    happen: (random) => slot.restart('SIGKILL', random.between(...DOWN_MS)),
  });
  const stopped = (slot: Slot): Mishap => ({
    name: 'SIGTERM',
    happen: (random) => slot.restart('SIGTERM', random.between(...DOWN_MS)),
  });
  const frozen = (slot: Slot): Mishap => ({
    name: 'frozen',
    happen: (random) => slot.freeze(random.between(...FROZEN_MS)),
  });
  const emptied: Mishap = { name: 'emptied', happen: () => services.emptyRedis() };
  const redisRestarted: Mishap = {
    name: 'restarted',
    happen: (random) => services.restartRedis(random.between(...DOWN_MS)),
  };
  const postgresRestarted: Mishap = {
    name: 'restarted',
    happen: (random) => services.restartPostgres(random.between(...DOWN_MS)),
  };
  const postgresKilled: Mishap = {
    name: 'kill -9',
    happen: (random) => services.killPostgres(random.between(...DOWN_MS)),
  };
  const setBack: Mishap = {
    name: 'set back',
    happen: (random) => services.setRedisBack(random.between(...PEACE_MS)),
  };
  return [
    { name: 'Redis', peaceMs: PEACE_MS, mishaps: [emptied, emptied, emptied, redisRestarted, setBack] },
    { name: 'PostgreSQL', peaceMs: PEACE_MS, mishaps: [postgresRestarted, postgresKilled] },
    { name: api.name, peaceMs: API_PEACE_MS, mishaps: [killed(api), killed(api), stopped(api)] },
    ...workers.map((worker) => ({
      name: worker.name,
      peaceMs: PEACE_MS,
      mishaps: [killed(worker), stopped(worker), frozen(worker)],
    })),
  ];
}

/**
 * Lets all ordeals happen, with random gaps. Resolves when all are over and every victim is up again.
 * @returns what happened, in words.
 */
export async function makeMischief(random: Random, all: readonly Ordeal[]): Promise<string[]> {
  return Promise.all(
    all.map(async ({ name, peaceMs, mishaps }) => {
      const chance = random.branch(name);
      const order = chance.shuffle(mishaps);
      for (const mishap of order) {
        await sleep(chance.between(...peaceMs));
        await mishap.happen(chance);
      }
      return `${name} ${order.map((mishap) => mishap.name).join(', ')}`;
    }),
  );
}
