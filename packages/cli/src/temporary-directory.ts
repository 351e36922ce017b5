import { chmod, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { acquireProcessLock } from '@callout/local/process';
import { openDataDirectory, type DataDirectory } from './data-directory.ts';

const PREFIX = 'callout-demo-';
/**
 * A demo acquires its lock right after making its directory; one of this age without a lock belongs to no running demo.
 */
const SETTLED_AFTER_MS = 10 * 60_000;

/** A data directory that `release` removes. Directories of demos that were killed are removed first. */
export async function openTemporaryDirectory(): Promise<DataDirectory> {
  const home = await realpath(tmpdir());
  await removeAbandoned(home);
  const made = await mkdtemp(path.join(home, PREFIX));
  // As root, the user that PostgreSQL runs as has to pass.
  if (process.getuid?.() === 0) await chmod(made, 0o711);
  const directory = await openDataDirectory(made);
  return { ...directory, isTemporary: true, release: () => rm(made, { recursive: true, force: true }) };
}

async function removeAbandoned(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith(PREFIX));
  for (const directory of names.map((name) => path.join(home, name))) {
    const { uid, mtimeMs } = await stat(directory);
    if (uid !== process.getuid?.() || Date.now() - mtimeMs < SETTLED_AFTER_MS) continue;
    const lock = await acquireProcessLock(path.join(directory, 'lock'));
    if (lock.kind === 'taken') await rm(directory, { recursive: true, force: true });
  }
}
