import { readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { isLockHeld } from '../process/process-lock.ts';

/** How the directories of test runs begin, in the temporary directory of the system. */
export const RUN_PREFIX = 'callout-test-';

/** A run takes its locks right after making its directory; a directory this old without one has no run any more. */
const SETTLED_AFTER_MS = 10 * 60_000;

/** Removes what killed test runs of this user left behind: about 50 MB each. */
export async function removeAbandonedRuns(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const dir = path.join(tmpdir(), name);
    if (name.startsWith(RUN_PREFIX) && (await isAbandoned(dir))) await rm(dir, { recursive: true, force: true });
  }
}

async function isAbandoned(dir: string): Promise<boolean> {
  const { uid, mtimeMs } = (await stat(dir).catch(ifCode('ENOENT', undefined))) ?? {};
  if (mtimeMs === undefined || uid !== process.getuid?.() || Date.now() - mtimeMs < SETTLED_AFTER_MS) return false;
  const locks = ['postgres', 'redis'].map((service) => isLockHeld(path.join(dir, service, 'lock')));
  return !(await Promise.all(locks)).includes(true);
}
