import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface BenchDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where servers of our own keep their data. */
  readonly dataDir: string;
  /** Prints a line of progress. */
  readonly report: (line: string) => void;
  /** Rejects with an Interrupted when the user wants to stop. */
  readonly interrupted: Promise<never>;
}

/** The user stopped the run; the message says how. */
export class Interrupted extends Error {}

/** What a run starts and stops its parts with. */
export interface Stage {
  /** Takes a function that undoes a step; the last step is undone first. */
  readonly onStop: (stop: () => Promise<void>) => void;
  /** Starts a program, which is stopped with the run. */
  readonly fork: (program: Program) => Promise<ForkedProgram>;
  /** Waits for something, and rejects at once when a process crashes, or the user wants to stop. */
  readonly guarded: <T>(work: Promise<T>) => Promise<T>;
}

/** A program to run in a process of its own. */
export interface Program {
  /** Names its log. */
  readonly name: string;
  /** From the root of the repository: as `npm run build` makes it. */
  readonly file: string;
  /** Flags of node. */
  readonly execArgv?: readonly string[];
  /** The whole environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ForkedProgram {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Rejects when the process ends without having been asked to, with the end of its log. */
  readonly crashed: Promise<never>;
  /** Asks it to finish and waits until it has; kills it when it has not within 30 s. */
  stop(): Promise<void>;
}

/**
 * One run, from nothing to its result. Whatever it started or made is gone afterwards, also when it fails; the logs of the
 * processes stay when it failed, or its result is not good.
 */
export async function onStage<T>(
  { report, interrupted }: BenchDeps,
  work: (stage: Stage) => Promise<T>,
  isGood: (result: T) => boolean,
): Promise<T> {
  const stops: (() => Promise<void>)[] = [];
  const forked: ForkedProgram[] = [];
  const logDir = await mkdtemp(path.join(tmpdir(), 'callout-bench-'));
  const onStop = (stop: () => Promise<void>) => void stops.push(stop);
  let areLogsWanted = true;
  try {
    const result = await work({
      onStop,
      guarded: (waited) => Promise.race([waited, interrupted, ...forked.map(({ crashed }) => crashed)]),
      async fork(program) {
        const started = await forkProgram(program, logDir);
        forked.push(started);
        onStop(() => started.stop());
        return started;
      },
    });
    areLogsWanted = !isGood(result);
    return result;
  } catch (error) {
    areLogsWanted = !(error instanceof Interrupted);
    throw error;
  } finally {
    for (const stop of stops.toReversed()) await stop();
    if (areLogsWanted) report(`The logs of the processes are in ${logDir}`);
    else await rm(logDir, { recursive: true });
  }
}

const PATIENCE_MS = 30_000;
const SHOWN_LOG_CHARACTERS = 4000;

/**
 * Runs a program with an IPC channel, which ends the program when we are gone. Its output goes to a file: as in
 * production it logs every request and every attempt, and writing the lines is part of its cost.
 */
async function forkProgram({ name, file, execArgv = [], env = {} }: Program, logDir: string): Promise<ForkedProgram> {
  const logFile = path.join(logDir, `${name}.log`);
  const log = await open(logFile, 'w', 0o600);
  const child = fork(path.resolve(import.meta.dirname, '../../..', file), [], {
    env,
    execArgv: [...execArgv],
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    serialization: 'advanced',
  });
  await once(child, 'spawn');
  await log.close();
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} did not start: ${file}`);

  let isStopping = false;
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const crashed = ended.then(async ([code, signal]): Promise<never> => {
    // A process that was stopped did not crash: this promise stays pending.
    if (isStopping) return new Promise(() => {});
    const text = await readFile(logFile, 'utf8');
    throw new Error(
      `${name} ended by itself (${signal ?? code}). The end of its log:\n${text.slice(-SHOWN_LOG_CHARACTERS)}`,
    );
  });
  // It is not always awaited.
  crashed.catch(() => undefined);
  return {
    child,
    pid,
    crashed,
    async stop() {
      if (isStopping || child.exitCode !== null || child.signalCode !== null) return;
      isStopping = true;
      const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      child.kill('SIGTERM');
      await ended.finally(() => clearTimeout(patience));
    },
  };
}
