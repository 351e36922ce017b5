import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { forkProgram, type ForkedProgram, type ForkOptions } from './process/fork-program.ts';
import type { Programs } from './process/programs.ts';

export interface BenchDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly programs: Programs;
  /** Where servers of our own keep their data. */
  readonly dataDir: string;
  /** Told what goes on, one line each. */
  readonly tell: (line: string) => void;
  /** Rejects with an Interrupted when the user wants to stop. */
  readonly interrupted: Promise<never>;
}

/** The user stopped the run; the message says how. */
export class Interrupted extends Error {}

/** What a run works with, besides what it is given. */
export interface Stage {
  /** Is told what undoes a step. */
  readonly onStop: (stop: () => Promise<void>) => void;
  /** Starts a program, which is stopped with the run. */
  readonly fork: (what: Omit<ForkOptions, 'logDir'>) => Promise<ForkedProgram>;
  /** Whatever is waited for ends early when a process crashes, or the user wants to stop. */
  readonly guarded: <T>(work: Promise<T>) => Promise<T>;
}

/**
 * One run, from nothing to its result. Whatever it started or made is gone afterwards, also when it fails; the logs of the
 * processes stay when it failed, or its result is not good.
 */
export async function onStage<T>(
  { tell, interrupted }: BenchDeps,
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
      async fork(what) {
        const program = await forkProgram({ ...what, logDir });
        forked.push(program);
        onStop(() => program.stop());
        return program;
      },
    });
    areLogsWanted = !isGood(result);
    return result;
  } catch (error) {
    areLogsWanted = !(error instanceof Interrupted);
    throw error;
  } finally {
    for (const stop of stops.toReversed()) await stop();
    if (areLogsWanted) tell(`The logs of the processes are in ${logDir}`);
    else await rm(logDir, { recursive: true });
  }
}
