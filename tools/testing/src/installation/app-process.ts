import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';

/** One line of a process's log, parsed. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** How a process ended: its status, or the signal that killed it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An API or a worker, run as an operator runs it: a process with an environment, a log and signals. */
export interface AppProcess {
  readonly name: string;
  readonly exit: Promise<Exit>;
  /** Waits until it reports that it is ready to work. @returns the port it listens on. Rejects when it ends before. */
  ready(): Promise<number>;
  isRunning(): boolean;
  /** Everything it has written so far, to both streams. */
  output(): string;
  /** Its output that is no line of its log; nothing, unless it could not start. */
  strayOutput(): string;
  /** The lines of its log so far. */
  log(): readonly LogLine[];
  /** Sends a signal and, for one that ends a process, waits until it has ended. */
  signal(signal: 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): Promise<void>;
}

/** The message of a process when it is ready to work, and the key of its port. */
const STARTED: Readonly<Record<string, string>> = { listening: 'port', started: 'healthPort' };

/**
 * Starts a program with the given environment only. It notices when this process dies (by the channel between the two)
 * and stops by itself, so that a test run that is killed leaves nothing behind.
 */
export function startAppProcess(name: string, main: string, env: Readonly<Record<string, string>>): AppProcess {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const output: string[] = [];
  const strayOutput: string[] = [];
  const log: LogLine[] = [];
  let reportPort: (port: number) => void;
  const port = new Promise<number>((resolve) => (reportPort = resolve));

  collect(child.stderr, (text) => {
    output.push(text);
    strayOutput.push(text);
  });
  let unfinished = '';
  collect(child.stdout, (text) => {
    output.push(text);
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = readLogLine(line);
      if (parsed === undefined) {
        strayOutput.push(`${line}\n`);
        continue;
      }
      log.push(parsed);
      const portName = STARTED[parsed.msg];
      if (portName !== undefined) reportPort(Number(parsed[portName]));
    }
  });

  const exit = ended(child);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    name,
    exit,
    isRunning,
    ready: () => Promise.race([port, endedEarly(name, exit, output)]),
    output: () => output.join(''),
    strayOutput: () => strayOutput.join(''),
    log: () => log,
    async signal(signal) {
      if (!isRunning()) return;
      child.kill(signal);
      if (signal === 'SIGTERM' || signal === 'SIGKILL') await exit;
    },
  };
}

function collect(stream: Readable | null, take: (text: string) => void): void {
  stream?.setEncoding('utf8').on('data', take);
}

function readLogLine(line: string): LogLine | undefined {
  try {
    return JSON.parse(line) as LogLine;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Resolves once both streams have been read to their ends. */
async function ended(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

async function endedEarly(name: string, exit: Promise<Exit>, output: readonly string[]): Promise<never> {
  const { code, signal } = await exit;
  throw new Error(`${name} ended with ${signal ?? code} before it was ready:\n${output.join('').slice(-3000)}`);
}
