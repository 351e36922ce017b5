import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { logTail } from './log-tail.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
/** Read by the API (`apps/api/src/rest/service/docs-site.ts`), whose pages show it. */
const stateFile = path.join(root, 'docs/.vitepress/cache/building.json');
const turbo = path.join(root, 'node_modules/turbo/bin/turbo');

/**
 * Builds the documentation and the downloads, at the lowest priority, while everything else runs already; parts that
 * are up to date stay. Does nothing where the tools are missing, as in a production tree.
 * @param logFile gets the output of the tools.
 * @returns a function that stops the build.
 */
export async function buildDocumentation(logFile: string): Promise<() => Promise<void>> {
  if (!existsSync(turbo)) return async () => undefined;
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(process.execPath, [turbo, 'run', '//#docs:build', '//#downloads', '--output-logs=errors-only'], {
    cwd: root,
    // A group of its own: a stop reaches the tools too.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  if (child.pid === undefined) return async () => undefined;
  const { pid } = child;
  os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
  await mkdir(path.dirname(stateFile), { recursive: true });
  await writeFile(stateFile, JSON.stringify({ pid }));
  let isStopped = false;
  async function untilEnd(): Promise<void> {
    const [status] = (await once(child, 'close')) as [number | null];
    if (status === 0 || isStopped) await rm(stateFile, { force: true });
    else await writeFile(stateFile, JSON.stringify({ failure: await logTail(logFile), logFile }));
  }
  const ended = untilEnd();
  return async () => {
    isStopped = true;
    try {
      process.kill(-pid, 'SIGTERM');
    } catch (error) {
      // It has ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    await ended;
  };
}
