import type { PostgresCounters, PostgresObserver } from './postgres-observer.ts';
import { readTree } from './process-table.ts';
import { readRedisCommands, type RedisCommands } from './redis-commands.ts';

/** The processes of a run. The driver is the benchmark's own process. */
export const parts = ['api', 'worker', 'postgres', 'redis', 'receiver', 'driver'] as const;
export type Part = (typeof parts)[number];

/** One value for each part; undefined where it cannot be known, such as for a server on another machine. */
export type PerPart = Readonly<Record<Part, number | undefined>>;

/** What everything has used since it started. */
export interface Usage {
  readonly cpuS: PerPart;
  readonly peakBytes: PerPart;
  readonly postgres: PostgresCounters;
  readonly redis: RedisCommands;
}

export interface UsageDeps {
  /** Main processes of each part but the driver; empty when it runs elsewhere. */
  readonly pids: Readonly<Record<Exclude<Part, 'driver'>, readonly number[]>>;
  readonly postgres: PostgresObserver;
  readonly redisUrl: string;
}

export async function readUsage({ pids, postgres, redisUrl }: UsageDeps): Promise<Usage> {
  const cpuS: Record<string, number | undefined> = { driver: ownCpuS() };
  const peakBytes: Record<string, number | undefined> = { driver: process.resourceUsage().maxRSS * 1024 };
  for (const [part, roots] of Object.entries(pids)) {
    const trees = await Promise.all(roots.map(readTree));
    cpuS[part] = sumOf(trees.map((tree) => tree?.cpuS));
    peakBytes[part] = sumOf(trees.map((tree) => tree?.peakBytes));
  }
  return {
    cpuS: cpuS as PerPart,
    peakBytes: peakBytes as PerPart,
    postgres: await postgres.counters(),
    redis: await readRedisCommands(redisUrl),
  };
}

function ownCpuS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Undefined when one of them is, or when there is none. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
