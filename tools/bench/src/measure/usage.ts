import type { PostgresCounters, PostgresObserver } from './postgres.ts';
import { readTree } from './process-table.ts';

/** The processes of a run. The driver is the benchmark's own process. */
export const parts = ['api', 'worker', 'postgres', 'redis', 'receiver', 'driver'] as const;
export type Part = (typeof parts)[number];
/** The parts of the service; the others only measure it. */
export const serviceParts: readonly Part[] = ['api', 'worker', 'postgres', 'redis'];

/** One value for each part; NaN where it cannot be known, such as for a server on another machine. */
export type PerPart = Readonly<Record<Part, number>>;

/** What everything has used since it started; NaN is not known. */
export interface Usage {
  readonly cpuS: PerPart;
  readonly peakBytes: PerPart;
  readonly postgres: PostgresCounters;
}

export interface UsageDeps {
  /** Main processes of each part but the driver; empty when it runs elsewhere. */
  readonly pids: Readonly<Record<Exclude<Part, 'driver'>, readonly number[] | 'not started'>>;
  readonly postgres: PostgresObserver;
}

export async function readUsage({ pids, postgres }: UsageDeps): Promise<Usage> {
  const { user, system } = process.cpuUsage();
  const cpuS: Record<string, number> = { driver: (user + system) / 1e6 };
  const peakBytes: Record<string, number> = { driver: process.resourceUsage().maxRSS * 1024 };
  for (const [part, roots] of Object.entries(pids)) {
    const trees = roots === 'not started' ? [{ cpuS: 0, peakBytes: 0 }] : await Promise.all(roots.map(readTree));
    cpuS[part] = total(trees.map((tree) => tree?.cpuS));
    peakBytes[part] = total(trees.map((tree) => tree?.peakBytes));
  }
  return {
    cpuS: cpuS as PerPart,
    peakBytes: peakBytes as PerPart,
    postgres: await postgres.counters(),
  };
}

/** What happened between two readings, for each of `count` things. */
export interface Costs extends PostgresCounters {
  readonly cpuSPer1000: PerPart;
}

export function costsBetween(before: Usage, after: Usage, count: number): Costs {
  const each = (of: (usage: Usage) => number) => (of(after) - of(before)) / count;
  const cpu = parts.map((part) => [part, each(({ cpuS }) => cpuS[part] * 1000)]);
  return {
    cpuSPer1000: Object.fromEntries(cpu) as PerPart,
    writeTransactions: each(({ postgres }) => postgres.writeTransactions),
    logBytes: each(({ postgres }) => postgres.logBytes),
  };
}

/** The sum of some parts; NaN when one of them is not known. */
export function sumOf(values: PerPart, of: readonly Part[]): number {
  return total(of.map((part) => values[part]));
}

/** NaN when one of them is not known, or when there is none. */
function total(values: readonly (number | undefined)[]): number {
  if (values.length === 0) return Number.NaN;
  return values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
}
