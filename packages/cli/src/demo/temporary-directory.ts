import { chmod, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { takeProcessLock } from '@callout/local/process';
import { openDataDirectory, type DataDirectory } from '../data-directory/data-directory.ts';

const PREFIX = 'callout-demo-';
/** A demo takes its lock right after making its directory; one this old without a lock has no demo any more. */
const SETTLED_AFTER_MS = 10 * 60_000;

/** A data directory that `release` removes. What demos left that were killed is removed first. */
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
    const lock = await takeProcessLock(path.join(directory, 'lock'));
    if (lock.kind === 'taken') await rm(directory, { recursive: true, force: true });
  }
}
