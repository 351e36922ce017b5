import { Readable } from 'node:stream';
import { runCallout } from './run.ts';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line of `callout` in this process, with these settings and no others. `typed`: what is on stdin, and whether that is a terminal. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  typed = '',
  isTerminal = false,
): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
    on: () => undefined,
  });
  const stdin = Object.assign(Readable.from([Buffer.from(typed)]), { isTTY: isTerminal });
  const status = await runCallout(args, { env, stdin, stdout: stream('stdout'), stderr: stream('stderr') });
  return { status, ...written };
}

/** Runs it with `--json`; fails the test unless it succeeds. */
export async function runForJson<T>(args: readonly string[], env: Record<string, string>): Promise<T> {
  const { status, stdout, stderr } = await runCommand([...args, '--json'], env);
  if (status !== 0) throw new Error(`callout ${args.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
