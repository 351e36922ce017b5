import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { DataDirectory } from '../data-directory.ts';
import type { Environment } from '../local-config.ts';
import type { StopList } from '../run-then-stop.ts';
import { choosePort } from './ports.ts';

export interface CompilersDeps {
  readonly env: Environment;
  readonly directory: DataDirectory;
  /** The URL of the API, to which the requests of the console go. */
  readonly api: string;
  readonly stops: StopList;
}

const root = path.resolve(import.meta.dirname, '../../../..');
const tool = (file: string) => path.join(root, 'node_modules', file);
/** The port that Vite prefers. */
const usualPort = 5173;

/**
 * For `npm run dev`: compiles sources when they change, and serves the console from sources. @returns the lines for the
 * developer.
 */
export async function startCompilers({ env, directory, api, stops }: CompilersDeps): Promise<string> {
  const port = await choosePort({ key: 'the console', port: undefined }, usualPort);
  const logs = { compiler: directory.file('compiler.log'), console: directory.file('console.log') };
  const projects = ['apps/api', 'apps/worker', 'packages/cli'];
  const compiler = [tool('typescript/bin/tsc'), '-b', '--noCheck', '--watch', '--preserveWatchOutput', ...projects];
  stops.add('the compiler', await run(compiler, logs.compiler, env));
  const server = [tool('vite/bin/vite.js'), 'apps/console', '--port', String(port), '--strictPort'];
  stops.add('the server of the console', await run(server, logs.console, { ...env, CALLOUT_API: new URL(api).origin }));
  return [
    'API and worker start again when their sources change. The console, reloaded when its sources change:',
    `  http://localhost:${port}/console/`,
    `Logs of the compilers: ${logs.compiler}, ${logs.console}`,
  ].join('\n');
}

/** @returns how to stop it. */
async function run(args: readonly string[], logFile: string, env: Environment): Promise<() => Promise<void>> {
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    // A group of its own: a stop reaches the child processes too.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const ended = once(child, 'close');
  return async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  };
}
