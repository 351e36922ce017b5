import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../clock.ts';
import { describeMachine } from '../measure/machine.ts';
import { processWithCommand, readTree, type TreeUse } from '../measure/process-table.ts';
import type { BenchOptions } from '../options.ts';
import { onStage, type BenchDeps, type Stage } from '../stage.ts';
import { driveTarget, type DrivenTarget } from './drive-target.ts';
import { createMarkers } from './marker.ts';
import type { FromTargetReceiver, TargetArrivals, ToTargetReceiver } from './messages.ts';
import type { Target, TargetProcess } from './target-file.ts';

/** What one process of the sender and all below it used during the run. */
export interface ProcessUse {
  readonly name: string;
  /** Undefined where it cannot be known. */
  readonly cpuS: number | undefined;
  /** Of its largest process, since that started. */
  readonly peakBytes: number | undefined;
}

export interface TargetResult {
  readonly target: Target;
  readonly options: BenchOptions;
  readonly machine: string;
  readonly driven: DrivenTarget;
  readonly arrivals: TargetArrivals;
  readonly processes: readonly ProcessUse[];
  readonly driverCpuS: number;
}

/** After so long without an arrival what is missing counts as lost. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** Drives a sender that is running already, and counts what it sends. */
export async function runTargetBench(target: Target, options: BenchOptions, deps: BenchDeps): Promise<TargetResult> {
  return onStage(deps, (stage) => measure(target, options, deps, stage), isComplete);
}

/** Whether every event arrived as often as it is owed. */
export function isComplete({ target, options, arrivals }: TargetResult): boolean {
  return arrivals.counts.slice(0, options.events).every((count) => count >= target.callouts);
}

async function measure(
  target: Target,
  options: BenchOptions,
  { programs, tell, env }: BenchDeps,
  stage: Stage,
): Promise<TargetResult> {
  const pids = await Promise.all(
    Object.entries(target.processes).map(async ([name, process]) => ({ name, pid: await findProcess(name, process) })),
  );
  const { PATH = '' } = env;
  const receiver = await stage.fork({ program: programs.targetReceiver, env: { PATH } });
  const ask = createAsk(receiver.child);
  const { connections, rate: eventsPerS } = options;
  const run = async (events: number) => {
    const markers = createMarkers(target, options.payload);
    await stage.guarded(ask.begin(markers.run, events, target.receiverPort));
    const before = await Promise.all(pids.map(({ pid }) => readTree(pid)));
    const cpuBefore = process.cpuUsage();
    const driven = await stage.guarded(driveTarget({ target, markers, events, connections, eventsPerS }));
    await stage.guarded(ask.waitFor(events * target.callouts));
    const after = await Promise.all(pids.map(({ pid }) => readTree(pid)));
    const { user, system } = process.cpuUsage(cpuBefore);
    const processes = pids.map(({ name }, nth) => useBetween(name, before[nth], after[nth]));
    return { driven, processes, driverCpuS: (user + system) / 1e6, arrivals: await ask.arrivals() };
  };
  const warmUp = Math.min(WARM_UP_EVENTS, options.events);
  tell(`Warming up ${target.name} with ${warmUp} events …`);
  await run(warmUp);
  tell(`Measuring ${options.events} events …`);
  const measured = await run(options.events);
  return { target, options, machine: await describeMachine(undefined), ...measured };
}

const WARM_UP_EVENTS = 500;

async function findProcess(name: string, where: TargetProcess): Promise<number> {
  let pid: number | undefined;
  if ('pid' in where) pid = where.pid;
  else if ('pidFile' in where) pid = Number.parseInt(await readFile(where.pidFile, 'utf8'), 10);
  else pid = await processWithCommand(where.command);
  if (pid === undefined || (await readTree(pid)) === undefined) {
    throw new Error(`processes.${name}: there is no such process, or no /proc to read it from`);
  }
  return pid;
}

function useBetween(name: string, before: TreeUse | undefined, after: TreeUse | undefined): ProcessUse {
  const cpuS = before && after ? after.cpuS - before.cpuS : undefined;
  return { name, cpuS, peakBytes: after?.peakBytes };
}

interface Channel {
  on(event: 'message', listener: (message: FromTargetReceiver) => void): unknown;
  send(message: ToTargetReceiver): unknown;
}

function createAsk(child: Channel) {
  let requests = 0;
  let changedAtMs = nowMs();
  let answered: (message: FromTargetReceiver) => void = () => undefined;
  child.on('message', (message) => {
    if (message.kind === 'progress') {
      ({ requests } = message);
      changedAtMs = nowMs();
    } else answered(message);
  });
  const ask = (message: ToTargetReceiver) =>
    new Promise<FromTargetReceiver>((resolve) => {
      answered = resolve;
      child.send(message);
    });
  return {
    async begin(run: string, events: number, port: number): Promise<void> {
      requests = 0;
      const answer = await ask({ kind: 'begin', run, events, port });
      if (answer.kind === 'refused') throw new Error(answer.why);
      changedAtMs = nowMs();
    },
    async waitFor(owed: number): Promise<void> {
      const isWaiting = () => requests < owed && nowMs() - changedAtMs < PATIENCE_MS;
      while (isWaiting()) await sleep(LOOK_EVERY_MS);
    },
    async arrivals(): Promise<TargetArrivals> {
      const answer = await ask({ kind: 'report' });
      if (answer.kind !== 'arrivals') throw new Error(`the receiver answered ${answer.kind}`);
      return answer.arrivals;
    },
  };
}
