import { randomBytes } from 'node:crypto';
import { BODY_BYTES } from './driver/company-fields.ts';
import { drive, type Driven } from './driver/drive.ts';
import { latencyOf, median, tookMs } from './measure/latency.ts';
import { describeMachine } from './measure/machine.ts';
import { processWithCommand, readTree } from './measure/process-table.ts';
import type { BenchOptions } from './options.ts';
import { markerOf } from './receiver/read-request.ts';
import { startReceiver } from './receiver/start-receiver.ts';
import { mebibytes, paddedTable, shown } from './table.ts';
import { onStage, type BenchDeps, type Stage } from './stage.ts';
import { FILLER, MARKER, type Target, type TargetProcess } from './target-file.ts';

/** What a run found out. `lost`, `duplicates`: of the callouts owed; `unknown`: requests of no event of the run. */
export type TargetResult = Awaited<ReturnType<typeof measure>>;

/** After so long without an arrival what is missing counts as lost. */
const PATIENCE_MS = 30_000;
const WARM_UP_EVENTS = 500;

/** Drives a sender that is running already, and counts what it sends. */
export function runTargetBench(target: Target, options: BenchOptions, deps: BenchDeps): Promise<TargetResult> {
  return onStage(
    deps,
    (stage) => measure(target, options, deps, stage),
    ({ lost }) => lost === 0,
  );
}

async function measure(target: Target, { load }: BenchOptions, { report }: BenchDeps, stage: Stage) {
  const processes = await Promise.all(
    Object.entries(target.processes).map(async ([name, process]) => ({ name, pid: await findProcess(name, process) })),
  );
  const readTrees = () => Promise.all(processes.map(({ pid }) => readTree(pid)));
  const receiver = await startReceiver(stage);
  await stage.guarded(receiver.call('listen', 1, target.receiverPort)).catch((error: Error) => {
    throw new Error(`receiverPort ${target.receiverPort}: ${error.message}`, { cause: error });
  });
  const behaviours = Array.from({ length: target.callouts }, () => 'prompt' as const);
  const { url, method, headers, accepted } = target.request;
  const run = async (events: number): Promise<Driven> => {
    const mark = `bench-${randomBytes(4).toString('hex')}`;
    const body = bodiesOf(target, mark);
    const { connections, rate } = load;
    const isAccepted = (status: number) => accepted.includes(status);
    await receiver.call('begin', { source: { kind: 'marker', mark }, events, behaviours });
    const sent = { url, method, headers, events, eventsPerRequest: 1, body, isAccepted, connections, rate };
    const driven = await stage.guarded(drive(sent));
    await stage.guarded(receiver.waitFor(events * target.callouts, PATIENCE_MS));
    return driven;
  };
  const warmUp = Math.min(WARM_UP_EVENTS, load.events);
  report(`Warming up ${target.name} with ${warmUp} events …`);
  await run(warmUp);
  report(`Measuring ${load.events} events …`);
  const before = await readTrees();
  const cpuBefore = process.cpuUsage();
  const driven = await run(load.events);
  const after = await readTrees();
  const { user, system } = process.cpuUsage(cpuBefore);
  const owed = load.events * target.callouts;
  const per1000 = (value: number) => (value / owed) * 1000;
  const arrivals = await receiver.call('arrivals');
  return {
    machine: describeMachine(),
    acceptedPerS: (load.events / (driven.lastAnsweredAtMs - driven.firstSentAtMs)) * 1000,
    deliveredPerS: (arrivals.delivered / (arrivals.lastTakenAtMs - driven.firstSentAtMs)) * 1000,
    answeredAfterMs: median(driven.answeredAfterMs),
    ...latencyOf(tookMs(driven.sentAtMs, arrivals.firstArrivedAtMs)),
    processes: processes.map(({ name }, index) => {
      const { cpuS, peakBytes } = after[index] ?? { cpuS: Number.NaN, peakBytes: Number.NaN };
      return { name, cpuSPer1000: per1000(cpuS - (before[index]?.cpuS ?? Number.NaN)), peakBytes };
    }),
    driverCpuSPer1000: per1000((user + system) / 1e6),
    ...{ owed, lost: owed - arrivals.delivered, duplicates: arrivals.duplicates, unknown: arrivals.unowed },
  };
}

/** The body of each event: that of the description, with 1 KiB where it has a filler. */
function bodiesOf({ request }: Target, mark: string): (event: number) => Buffer {
  const template = JSON.stringify(request.body);
  const bare = template.replace(MARKER, markerOf(mark, 0)).replace(FILLER, '');
  const filler = 'x'.repeat(Math.max(0, BODY_BYTES - Buffer.byteLength(bare)));
  const [before = '', after = ''] = template.replace(FILLER, filler).split(MARKER);
  return (event) => Buffer.from(`${before}${markerOf(mark, event)}${after}`);
}

async function findProcess(name: string, where: TargetProcess): Promise<number> {
  const pid = 'pid' in where ? where.pid : await processWithCommand(where.command);
  if (pid === undefined || (await readTree(pid)) === undefined) {
    throw new Error(`processes.${name}: there is no such process, or no /proc to read it from`);
  }
  return pid;
}

/** The result as text. */
export function renderTargetResult(target: Target, { load }: BenchOptions, result: TargetResult): string {
  const rows: [string, string][] = [
    ['Measure', target.name],
    ['accepted/s', shown(result.acceptedPerS)],
    ['delivered/s', shown(result.deliveredPerS)],
    ['request to its answer, p50, ms', shown(result.answeredAfterMs, 1)],
    ['event to receiver, p50, ms', shown(result.p50Ms, 1)],
    ['event to receiver, p95, ms', shown(result.p95Ms, 1)],
    ['event to receiver, p99, ms', shown(result.p99Ms, 1)],
    ...result.processes.flatMap(({ name, cpuSPer1000, peakBytes }): [string, string][] => [
      [`CPU-s per 1,000 callouts: ${name}`, shown(cpuSPer1000, 3)],
      [`peak memory, MiB: ${name}`, shown(mebibytes(peakBytes))],
    ]),
    ['CPU-s per 1,000 callouts: driver', shown(result.driverCpuSPer1000, 3)],
    ['callouts owed', shown(result.owed)],
    ['lost', shown(result.lost)],
    ['more than owed', shown(result.duplicates)],
    ['requests of no event of this run', shown(result.unknown)],
  ];
  const rate = load.rate > 0 ? `${load.rate} per second` : 'as many as are accepted';
  return `Machine:  ${result.machine}
Target:   ${target.name}, ${target.request.method} ${target.request.url}
Load:     ${shown(load.events)} events, one per request over ${load.connections} connections, ${rate}; bodies of ${BODY_BYTES} bytes

${paddedTable(rows)}
`;
}
