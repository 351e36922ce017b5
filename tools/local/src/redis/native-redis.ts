import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { LOOPBACK } from '../process/local-port.ts';

const run = promisify(execFile);

export interface NativeRedis {
  /** Path of the server program. */
  program: string;
  /** As it calls itself, for example `Redis 7.0.15`. */
  engine: string;
}

/** Below these the service does not work with them; then the embedded one is the better choice. */
const LEAST_VERSIONS: Readonly<Record<string, readonly [major: number, minor: number]>> = {
  Redis: [6, 2],
  Valkey: [7, 2],
};

/** The first of these programs that is on PATH (or there, for a path) and recent enough. */
export async function findNativeRedis(names: readonly string[]): Promise<NativeRedis | undefined> {
  for (const name of names) {
    const program = await outputOf('/bin/sh', ['-c', 'command -v -- "$0"', name]);
    const engine = program && recentEngine(await outputOf(program, ['--version']));
    if (program && engine) return { program, engine };
  }
  return undefined;
}

/** @returns the output of the command, or undefined when it does not run or fails. */
async function outputOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    return (await run(command, args)).stdout.trim();
  } catch (error) {
    // Not there, not executable, or ended with a status other than 0: not a server to start.
    if (typeof error === 'object' && error !== null && 'code' in error) return undefined;
    throw error;
  }
}

/** @param output for example `Redis server v=7.0.15 sha=…` or `Valkey server v=8.1.1 sha=…`. */
function recentEngine(output: string | undefined): string | undefined {
  const [, name = '', version = ''] = /^(\w+) server v=([\d.]+)/.exec(output ?? '') ?? [];
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const least = LEAST_VERSIONS[name];
  if (!least || major < least[0] || (major === least[0] && minor < least[1])) return undefined;
  return `${name} ${version}`;
}

/** Writes the configuration of a native server and returns its path; the password is in there, so 0600. */
export async function writeNativeConfig(
  directory: string,
  pidFile: string,
  port: number,
  password: string,
): Promise<string> {
  const file = path.join(directory, 'redis.conf');
  const lines = [
    `port ${port}`,
    `bind ${LOOPBACK}`,
    `requirepass ${password}`,
    `dir ${quoted(directory)}`,
    `pidfile ${quoted(pidFile)}`,
    'set-proc-title no', // a leftover of a crashed run is known by the path in its command line
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    'daemonize no',
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return file;
}

/** Redis reads quoted texts as C does. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
