import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { eventually } from '@callout/testing';

/** A receiver that runs as a program of its own. */
export interface ExampleProgram {
  /** Where it takes callouts. */
  readonly url: string;
  /** What it printed. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

export interface ExampleCommand {
  readonly command: string;
  /** `PORT` in an argument stands for the port. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a receiver at a port that is free now, and waits until it listens. */
export async function startExample({ command, args, env = {} }: ExampleCommand): Promise<ExampleProgram> {
  const port = await freePort();
  const variables = Object.entries({ ...env, PORT: String(port) }).map(([name, value]) => `${name}=${value}`);
  const own = args.map((argument) => argument.replace('PORT', String(port)));
  // By env(1), which keeps the variables that the language needs and becomes the program.
  const child = spawn('env', [...variables, command, ...own], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = linesOf(child.stdout);
  const errors = linesOf(child.stderr);
  try {
    await eventually(async () => {
      if (hasEnded(child)) throw new Error(`${command} ended: ${errors.join('\n')}`);
      await fetch(`http://127.0.0.1:${port}`);
    });
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${port}/callouts`,
    lines,
    async stop() {
      if (hasEnded(child)) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

function linesOf(stream: NodeJS.ReadableStream): string[] {
  const lines: string[] = [];
  createInterface(stream).on('line', (line) => lines.push(line));
  return lines;
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
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
