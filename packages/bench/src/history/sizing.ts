import { percentiles } from '../report/percentiles.ts';
import type { HistoryResult, LoadPair } from './history-result.ts';
import type { LoadResult } from './history-side.ts';

/** What an installation needs for a rate, by what the run has measured. */
export interface Sizing {
  readonly calloutsPerS: number;
  readonly postgresCores: number;
  readonly apiCores: number;
  readonly workerCores: number;
  readonly redisCores: number;
  /** A process of Node uses one core. */
  readonly apiProcesses: number;
  readonly workerProcesses: number;
  readonly connections: number;
  readonly statementsPerS: number;
  readonly commitsPerS: number;
  readonly walBytesPerS: number;
  readonly diskBytesPerDay: number;
  /** Installations that share the load. */
  readonly zones: number;
}

export const sizingRates: readonly number[] = [100, 500, 1000, 5000, 10_000, 50_000];

/** Cores are used up to here, so that there is room for peaks, retries and reads. */
const USED_SHARE = 0.6;
/** By default: an API opens 2 × DATABASE_POOL_SIZE + QUERY_POOL_SIZE, a worker DATABASE_POOL_SIZE. */
const POOL = 10;
const QUERY_POOL = 4;
/** From here on events come together: they share commits as those of many connections do. */
const TOGETHER_FROM = 1000;
/** One PostgreSQL writes its log one transaction behind the other: more than this is for several. */
const MOST_PER_ZONE = 10_000;

/** @returns a row for each rate; undefined when a load that it needs was not run. */
export function sizingOf({ loads, bytesPerCallout }: Pick<HistoryResult, 'loads' | 'bytesPerCallout'>) {
  const alone = loads.find(({ load }) => load.batch === 1 && load.rate > 0);
  const together = loads.find(({ load }) => load.batch === 1 && load.rate === 0);
  if (alone === undefined || together === undefined) return undefined;
  return sizingRates.map((rate) => sizeFor(rate, rate < TOGETHER_FROM ? alone : together, bytesPerCallout));
}

function sizeFor(calloutsPerS: number, { history }: LoadPair, bytesPerCallout: number): Sizing {
  const middle = (of: (one: LoadResult) => number | undefined) =>
    percentiles(
      history.map((one) => of(one) ?? Number.NaN),
      [50],
    )[0] ?? Number.NaN;
  const cores = (of: (one: LoadResult) => number | undefined) => ((calloutsPerS / 1000) * middle(of)) / USED_SHARE;
  const apiCores = cores(({ cpuSPer1000 }) => cpuSPer1000.api);
  const workerCores = cores(({ cpuSPer1000 }) => cpuSPer1000.worker);
  // Two at least, in case one dies.
  const processes = (needed: number) => Math.max(2, Math.ceil(needed));
  const [apiProcesses, workerProcesses] = [processes(apiCores), processes(workerCores)];
  return {
    calloutsPerS,
    postgresCores: cores(({ cpuSPer1000 }) => cpuSPer1000.postgres),
    apiCores,
    workerCores,
    redisCores: cores(({ cpuSPer1000 }) => cpuSPer1000.redis),
    apiProcesses,
    workerProcesses,
    connections: apiProcesses * (2 * POOL + QUERY_POOL) + workerProcesses * POOL,
    statementsPerS: calloutsPerS * middle(({ statementsPerCallout }) => statementsPerCallout),
    commitsPerS: calloutsPerS * middle(({ writeTransactionsPerCallout }) => writeTransactionsPerCallout),
    walBytesPerS: calloutsPerS * middle(({ walBytesPerCallout }) => walBytesPerCallout),
    diskBytesPerDay: calloutsPerS * 86_400 * bytesPerCallout,
    zones: Math.ceil(calloutsPerS / MOST_PER_ZONE),
  };
}

/** A table of text for the report. */
export function sizingTable(rows: readonly Sizing[]): string[][] {
  const head = ['Callouts/s', 'cores: PostgreSQL', 'API', 'worker', 'Redis', 'processes: API', 'worker', 'connections'];
  const more = ['statements/s', 'commits/s', 'log, MB/s', 'disk, GB/day', '30 days, TB', 'zones'];
  const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
  const one = (value: number) => (value < 10 ? value.toFixed(1) : whole(value));
  return [
    [...head, ...more],
    ...rows.map((row) => [
      ...[whole(row.calloutsPerS), one(row.postgresCores), one(row.apiCores), one(row.workerCores)],
      ...[one(row.redisCores), whole(row.apiProcesses), whole(row.workerProcesses), whole(row.connections)],
      ...[whole(row.statementsPerS), whole(row.commitsPerS), one(row.walBytesPerS / 1e6)],
      ...[whole(row.diskBytesPerDay / 1e9), ((row.diskBytesPerDay * 30) / 1e12).toFixed(1), whole(row.zones)],
    ]),
  ];
}
