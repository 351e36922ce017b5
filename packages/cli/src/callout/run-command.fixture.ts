import { Readable } from 'node:stream';
import { afterEach } from '@jest/globals';
import { runCallout } from './run.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command line of `callout` in this process, with these settings only. `typed`: the text on stdin, and whether
 * that is a terminal.
 */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  typed: string | readonly string[] = '',
  isTerminal = false,
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
    on: () => undefined,
  });
  const stdin = Object.assign(Readable.from([typed].flat().map((text) => Buffer.from(text))), { isTTY: isTerminal });
  const status = await runCallout(args, { env, stdin, stdout: stream('stdout'), stderr: stream('stderr') });
  return { status, ...written };
}

/** A command that goes on until it is stopped. */
export interface Running {
  /** The output so far, on both streams. */
  readonly output: () => string;
  /** As Ctrl-C does. @returns the exit status. */
  readonly stop: () => Promise<number>;
}

const running = new Set<Running>();

// Also those of a failed test: its listener would take the callouts that later tests wait for.
afterEach(async () => {
  const left = [...running];
  running.clear();
  await Promise.all(left.map((command) => command.stop()));
});

/** Starts a command line that goes on until it is stopped, or until the end of its test, in this process. */
export function startCommand(args: readonly string[], env: Record<string, string>): Running {
  let written = '';
  const stops: (() => void)[] = [];
  const stream = { write: (text: string) => (written += text), on: () => undefined };
  const status = runCallout(args, {
    env,
    stdin: Object.assign(Readable.from([]), { isTTY: false }),
    stdout: stream,
    stderr: stream,
    on: (_event, listener) => stops.push(listener),
  });
  const command = {
    output: () => written,
    stop() {
      for (const stop of stops) stop();
      return status;
    },
  };
  running.add(command);
  return command;
}

/** Runs it with `--json`; fails the test unless it succeeds. */
export async function runForJson<T>(args: readonly string[], env: Record<string, string> = {}): Promise<T> {
  const { status, stdout, stderr } = await runCommand([...args, '--json'], env);
  if (status !== 0) throw new Error(`callout ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
