import type { Driven } from './driver/drive.ts';
import { latencyOf, median, tookMs } from './measure/latency.ts';
import { costsBetween, serviceParts, sumOf, type PerPart, type Usage } from './measure/usage.ts';
import type { Load } from './plan.ts';
import type { Arrivals } from './receiver/ledger.ts';
import { mebibytes, paddedTable, shown } from './table.ts';

/** Everything that a run observed. */
export interface Observed {
  readonly load: Load;
  readonly driven: Driven;
  readonly arrivals: Arrivals;
  /** Just before the first request, and when nothing was owed any more. */
  readonly before: Usage;
  readonly after: Usage;
  /** By so much all tables with TOAST and indexes grew. */
  readonly tableBytes: number;
}

/** What a run found out. */
export type LoadResult = ReturnType<typeof judgeRun>;

/** Rates, times and costs of a load; bytes of an event are those with its callouts, dead rows included. */
export function judgeRun({ load, driven, arrivals, before, after, tableBytes }: Observed) {
  const { events, fanout } = load;
  const { delivered, duplicates, unowed, outOfOrder } = arrivals;
  const owed = events * fanout;
  const perSecond = (count: number, untilMs: number) => (count / (untilMs - driven.firstSentAtMs)) * 1000;
  return {
    load,
    acceptedPerS: perSecond(events, driven.lastAnsweredAtMs),
    deliveredPerS: delivered === 0 ? 0 : perSecond(delivered, arrivals.lastTakenAtMs),
    answeredAfterMs: median(driven.answeredAfterMs),
    ...latencyOf(tookMs(driven.sentAtMs, arrivals.firstArrivedAtMs)),
    perCallout: costsBetween(before, after, delivered),
    peakBytes: after.peakBytes,
    diskBytesPerEvent: tableBytes / events,
    logBytesPerEvent: (after.postgres.logBytes - before.postgres.logBytes) / events,
    bodyBytes: arrivals.bodyBytes / arrivals.requests,
    ...{ owed, delivered, lost: owed - delivered, duplicates, unowed, outOfOrder },
  };
}

/** Whether the service kept what it promises: everything owed, nothing else, each record in its order. */
export function keptItsPromises(result: Pick<LoadResult, 'lost' | 'unowed' | 'outOfOrder'>): boolean {
  return result.lost === 0 && result.unowed === 0 && result.outOfOrder === 0;
}

type Measure = readonly [name: string, of: (result: LoadResult) => number, digits?: number];

const cpuOf = (part: keyof PerPart) => (result: LoadResult) => result.perCallout.cpuSPer1000[part];

/** The rows of a report. */
export const measures: readonly Measure[] = [
  ['accepted/s', ({ acceptedPerS }) => acceptedPerS],
  ['delivered/s', ({ deliveredPerS }) => deliveredPerS],
  ['request to its answer, p50, ms', ({ answeredAfterMs }) => answeredAfterMs, 1],
  ['event to receiver, p50, ms', ({ p50Ms }) => p50Ms, 1],
  ['event to receiver, p95, ms', ({ p95Ms }) => p95Ms, 1],
  ['event to receiver, p99, ms', ({ p99Ms }) => p99Ms, 1],
  ['CPU-s per 1,000 callouts: API', cpuOf('api'), 3],
  ['CPU-s per 1,000 callouts: workers', cpuOf('worker'), 3],
  ['CPU-s per 1,000 callouts: PostgreSQL', cpuOf('postgres'), 3],
  ['CPU-s per 1,000 callouts: Redis', cpuOf('redis'), 3],
  ['CPU-s per 1,000 callouts: service', ({ perCallout }) => sumOf(perCallout.cpuSPer1000, serviceParts), 3],
  ['CPU-s per 1,000 callouts: receiver', cpuOf('receiver'), 3],
  ['CPU-s per 1,000 callouts: driver', cpuOf('driver'), 3],
  ['peak memory, MiB: API', ({ peakBytes }) => mebibytes(peakBytes.api)],
  ['peak memory, MiB: workers', ({ peakBytes }) => mebibytes(peakBytes.worker)],
  ['peak memory, MiB: PostgreSQL', ({ peakBytes }) => mebibytes(peakBytes.postgres)],
  ['peak memory, MiB: Redis', ({ peakBytes }) => mebibytes(peakBytes.redis)],
  ['bytes on disk per event', ({ diskBytesPerEvent }) => diskBytesPerEvent],
  ['bytes of write-ahead log per event', ({ logBytesPerEvent }) => logBytesPerEvent],
  ['write transactions per callout', ({ perCallout }) => perCallout.writeTransactions, 3],
  ['bytes of a body', ({ bodyBytes }) => bodyBytes],
  ['callouts owed', ({ owed }) => owed],
  ['lost', ({ lost }) => lost],
  ['out of order', ({ outOfOrder }) => outOfOrder],
  ['not owed', ({ unowed }) => unowed],
  ['sent again after success', ({ duplicates }) => duplicates],
];

/** One table with a column for each load. @param conditions the lines above it. */
export function renderResults(conditions: readonly string[], results: readonly LoadResult[]): string {
  const rows = measures.map(([name, of, digits]) => [name, ...results.map((result) => shown(of(result), digits))]);
  return `${[...conditions, ...results.map(describeLoad), ''].join('\n')}
${paddedTable([['Measure', ...results.map(({ load }) => load.name)], ...rows])}\n`;
}

function describeLoad({ load }: LoadResult): string {
  const { name, events, batch, fanout, rate, connections } = load;
  const speed = rate > 0 ? `${shown(rate)} per second` : 'as many as are accepted';
  return `Load:     ${name}: ${shown(events)} events, ${batch} per request over ${connections} connections, ${speed}, each owed to ${fanout}`;
}
