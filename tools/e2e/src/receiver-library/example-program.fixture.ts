import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from '@callout/testing';

/** An example that runs as a program of its own. */
export interface ExampleProgram {
  /** Its output. */
  readonly lines: readonly string[];
  /** Its standard error. */
  readonly errors: readonly string[];
  /** Resolves with its exit status, null when a signal ended it. */
  readonly ended: Promise<number | null>;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  stop(): Promise<void>;
}

/** A receiver that runs as a program of its own. */
export interface ExampleReceiver extends ExampleProgram {
  /** The address for callouts. */
  readonly url: string;
}

export interface ExampleCommand {
  readonly command: string;
  /** `PORT` in an argument is replaced by the port. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts an example, and does not wait for anything. */
export function runExample({ command, args, env = {} }: ExampleCommand): ExampleProgram {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // By env(1), which keeps the variables that the language needs and becomes the program.
  const child = spawn('env', [...variables, command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    lines: linesOf(child.stdout),
    errors: linesOf(child.stderr),
    ended,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

/** Starts a receiver at a port that is free now, and waits until it listens. */
export async function startExample({ command, args, env }: ExampleCommand): Promise<ExampleReceiver> {
  const port = await freePort();
  const own = args.map((argument) => argument.replace('PORT', String(port)));
  const program = runExample({ command, args: own, env: { ...env, PORT: String(port) } });
  let hasEnded = false;
  void program.ended.then(() => (hasEnded = true));
  try {
    await eventually(async () => {
      if (hasEnded) throw new Error(`${command} ended: ${program.errors.join('\n')}`);
      await fetch(`http://127.0.0.1:${port}`);
    });
  } catch (error) {
    await program.stop();
    throw error;
  }
  return { ...program, url: `http://127.0.0.1:${port}/callouts` };
}

function linesOf(stream: NodeJS.ReadableStream): string[] {
  const lines: string[] = [];
  createInterface(stream).on('line', (line) => lines.push(line));
  return lines;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
