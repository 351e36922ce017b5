import { nowMs } from '../clock.ts';
import type { PostgresCounters, PostgresObserver } from './postgres-observer.ts';
import { readMachineCpuS, readTree } from './process-table.ts';
import { readRedisCommands, type RedisCommands } from './redis-commands.ts';

/** The processes of a run. The driver is the benchmark's own process. */
export const parts = ['api', 'worker', 'postgres', 'redis', 'receiver', 'driver'] as const;
export type Part = (typeof parts)[number];
/** Those that the service consists of; the others only measure it. */
export const serviceParts: readonly Part[] = ['api', 'worker', 'postgres', 'redis'];

/** One value for each part; undefined where it cannot be known, such as for a server on another machine. */
export type PerPart = Readonly<Record<Part, number | undefined>>;

/** What everything has used since it started. */
export interface Usage {
  readonly atMs: number;
  readonly cpuS: PerPart;
  readonly peakBytes: PerPart;
  /** Of everything on this machine, the run and others. */
  readonly machineCpuS: number | undefined;
  readonly postgres: PostgresCounters;
  readonly redis: RedisCommands;
}

export interface UsageDeps {
  /** Main processes of each part but the driver; empty when it runs elsewhere. */
  readonly pids: Readonly<Record<Exclude<Part, 'driver'>, readonly number[] | 'not started'>>;
  readonly postgres: PostgresObserver;
  readonly redisUrl: string;
}

export async function readUsage({ pids, postgres, redisUrl }: UsageDeps): Promise<Usage> {
  const cpuS: Record<string, number | undefined> = { driver: ownCpuS() };
  const peakBytes: Record<string, number | undefined> = { driver: process.resourceUsage().maxRSS * 1024 };
  for (const [part, roots] of Object.entries(pids)) {
    const trees = roots === 'not started' ? [{ cpuS: 0, peakBytes: 0 }] : await Promise.all(roots.map(readTree));
    cpuS[part] = total(trees.map((tree) => tree?.cpuS));
    peakBytes[part] = total(trees.map((tree) => tree?.peakBytes));
  }
  return {
    atMs: nowMs(),
    cpuS: cpuS as PerPart,
    peakBytes: peakBytes as PerPart,
    machineCpuS: await readMachineCpuS(),
    postgres: await postgres.counters(),
    redis: await readRedisCommands(redisUrl),
  };
}

function ownCpuS(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** The sum of some parts; undefined when one of them is unknown. */
export function sumOf(values: PerPart, of: readonly Part[]): number | undefined {
  return total(of.map((part) => values[part]));
}

/** Undefined when one of them is, or when there is none. */
function total(values: readonly (number | undefined)[]): number | undefined {
  if (values.length === 0) return undefined;
  let sum = 0;
  for (const value of values) {
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}
