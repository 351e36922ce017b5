import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A program to run in a process of its own. */
export interface Program {
  /** Names its log. */
  readonly name: string;
  readonly file: string;
  /** Flags of node. */
  readonly execArgv: readonly string[];
}

export interface ForkOptions {
  readonly program: Program;
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly logDir: string;
}

export interface ForkedProgram {
  readonly name: string;
  readonly child: ChildProcess;
  readonly pid: number;
  /** Rejects when the process ends without having been asked to, with the end of its log. */
  readonly crashed: Promise<never>;
  /** Asks it to finish and waits until it has; kills it when it has not within 30 s. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 30_000;
const SHOWN_LOG_CHARACTERS = 4000;

/**
 * Runs a program with an IPC channel, which ends the program when we are gone. Its output goes to a file: as in
 * production it logs every request and every attempt, and writing the lines is part of its cost.
 */
export async function forkProgram({ program, env, logDir }: ForkOptions): Promise<ForkedProgram> {
  const { name, file, execArgv } = program;
  const logFile = path.join(logDir, `${name}.log`);
  const log = await open(logFile, 'w', 0o600);
  const child = fork(file, [], {
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
    name,
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
