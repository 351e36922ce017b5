import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const RUN_TYPESCRIPT = fileURLToPath(new URL('../../../testing/jest/run-typescript.js', import.meta.url));

export interface OtherProcess {
  /** The first line it printed, read as JSON. */
  message: unknown;
  /** kill -9, and waits until it is gone. */
  kill: () => Promise<void>;
}

/**
 * Runs a piece of a program in a process of its own, from the sources, until it is killed.
 *
 * @param program may import `@callout/local`; prints one line of JSON when it is where the test wants it.
 */
export async function startOtherProcess(program: string): Promise<OtherProcess> {
  const child = spawn(
    process.execPath,
    ['-C', 'source', '--import', RUN_TYPESCRIPT, '--input-type=module', '--eval', program],
    { cwd: PACKAGE, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const [first] = await Promise.race([line, diedEarly(child)]);
  return { message: JSON.parse(first), kill: () => kill(child) };
}

async function diedEarly(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`the other process ended with ${code} before it printed anything`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
