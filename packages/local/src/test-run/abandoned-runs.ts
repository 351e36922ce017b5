import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { isLocked } from '../process/process-lock.ts';

/** How the names of the directories of test runs begin. */
export const RUN_PREFIX = 'callout-test-';

/**
 * A run acquires its locks right after making its directory; a directory of this age without one belongs to no run any
 * more.
 */
const SETTLED_AFTER_MS = 10 * 60_000;

/** Removes files of killed test runs of this user: about 50 MB each. */
export async function removeAbandonedRuns(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const dir = path.join(home, name);
    if (name.startsWith(RUN_PREFIX) && (await isAbandoned(dir))) await rm(dir, { recursive: true, force: true });
  }
}

async function isAbandoned(dir: string): Promise<boolean> {
  const { uid, mtimeMs } = (await stat(dir).catch(ifCode('ENOENT', undefined))) ?? {};
  if (mtimeMs === undefined || uid !== process.getuid?.() || Date.now() - mtimeMs < SETTLED_AFTER_MS) return false;
  const locks = ['postgres', 'redis'].map((service) => isLocked(path.join(dir, service, 'lock')));
  return !(await Promise.all(locks)).includes(true);
}
