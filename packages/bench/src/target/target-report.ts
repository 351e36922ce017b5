import { paddedTable } from '../report/padded-table.ts';
import { percentiles } from '../report/percentiles.ts';
import { mebibytes, milliseconds, wholeNumber } from '../report/quantities.ts';
import type { TargetResult } from './target-bench.ts';

const PERCENTILES = [50, 95, 99];

/** The figures of a run, as numbers. */
export function targetFigures({ target, options, driven, arrivals, processes, driverCpuS }: TargetResult) {
  const owed = options.events * target.callouts;
  const counts = [...arrivals.counts];
  const lost = counts.reduce((sum, count) => sum + Math.max(0, target.callouts - count), 0);
  const duplicates = counts.reduce((sum, count) => sum + Math.max(0, count - target.callouts), 0);
  const latencies = counts.flatMap((count, event) =>
    count > 0 ? [(arrivals.firstAtMs[event] ?? 0) - (driven.sentAtMs[event] ?? 0)] : [],
  );
  const [p50 = Number.NaN, p95 = Number.NaN, p99 = Number.NaN] = percentiles(latencies, PERCENTILES);
  const perThousand = (value: number) => (value / owed) * 1000;
  const known = processes.map(({ cpuS }) => cpuS);
  const cpuS = known.includes(undefined) ? undefined : known.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return {
    acceptedPerS: (options.events / (driven.lastAnsweredAtMs - driven.firstSentAtMs)) * 1000,
    deliveredPerS: ((owed - lost) / (arrivals.lastAtMs - driven.firstSentAtMs)) * 1000,
    latencyMs: { p50, p95, p99 },
    answerMs: percentiles(driven.answeredAfterMs, [50])[0] ?? Number.NaN,
    cpuSPerThousand: cpuS === undefined || processes.length === 0 ? undefined : perThousand(cpuS),
    processes: processes.map((use) => ({
      name: use.name,
      cpuSPerThousand: use.cpuS === undefined ? undefined : perThousand(use.cpuS),
      peakBytes: use.peakBytes,
    })),
    driverCpuSPerThousand: perThousand(driverCpuS),
    owed,
    lost,
    duplicates,
    unknown: arrivals.unknown,
  };
}

/** The report as text. */
export function renderTargetReport(result: TargetResult): string {
  const { target, options, machine } = result;
  const figures = targetFigures(result);
  const cpu = (value: number | undefined) => value?.toFixed(3) ?? 'n/a';
  const rows = [
    ['Measure', 'Value'],
    ['accepted/s', wholeNumber(figures.acceptedPerS)],
    ['delivered/s', wholeNumber(figures.deliveredPerS)],
    ['request to its answer, p50', milliseconds(figures.answerMs)],
    ...Object.entries(figures.latencyMs).map(([name, value]) => [`request to receiver, ${name}`, milliseconds(value)]),
    ...figures.processes.map(({ name, cpuSPerThousand }) => [
      `CPU-s per 1,000 callouts, ${name}`,
      cpu(cpuSPerThousand),
    ]),
    ['CPU-s per 1,000 callouts, all of these', cpu(figures.cpuSPerThousand)],
    ['CPU-s per 1,000 callouts, driver', cpu(figures.driverCpuSPerThousand)],
    ...figures.processes.map(({ name, peakBytes }) => [
      `peak memory, ${name}`,
      peakBytes === undefined ? 'n/a' : mebibytes(peakBytes),
    ]),
    ['requests of no event of this run', wholeNumber(figures.unknown)],
    ['more than owed', wholeNumber(figures.duplicates)],
    ['lost', `${wholeNumber(figures.lost)} of ${wholeNumber(figures.owed)}`],
  ];
  const rate = options.rate > 0 ? `${options.rate} per second` : 'as many as are accepted';
  return [
    `Target:   ${target.name}, ${target.request.method} ${target.request.url}`,
    `Run:      ${wholeNumber(options.events)} events, one per request over ${options.connections} connections, ${rate}; ` +
      `${target.callouts} callouts each, bodies of ${options.payload} bytes`,
    `Machine:  ${machine}`,
    '',
    ...paddedTable(rows),
    '',
  ].join('\n');
}
