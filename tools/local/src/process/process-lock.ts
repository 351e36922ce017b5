import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, ifCode } from '../error-code.ts';
import { processIdentity } from './process-identity.ts';

interface Holder {
  pid: number;
  identity: string;
  /** Distinguishes two locks of one process. */
  token: string;
}

export type LockAttempt = { kind: 'taken'; release: () => Promise<void> } | { kind: 'held'; pid: number };

/**
 * Acquires a lock file that names its process. A lock whose process is gone (also by kill -9, also when its id belongs
 * to another process since) is taken over.
 * @param file path of the lock; its directory exists.
 */
export async function acquireProcessLock(file: string): Promise<LockAttempt> {
  const identity = await processIdentity(process.pid);
  if (identity === undefined) throw new Error(`cannot read the start time of this process (${process.pid})`);
  const own: Holder = { pid: process.pid, identity, token: randomUUID() };
  const content = JSON.stringify(own);
  const draft = `${file}.${own.token}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    for (;;) {
      // A link appears at once and with its content, and only where nothing is: two processes cannot both succeed.
      if (await linkIfFree(draft, file)) return { kind: 'taken', release: () => removeIfStill(file, content) };
      const found = await read(file);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (await isAlive(holder)) return { kind: 'held', pid: holder.pid };
      await removeStale(file, found);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether a living process has this lock. */
export async function isLocked(file: string): Promise<boolean> {
  const found = await read(file);
  return found !== undefined && (await isAlive(parseHolder(found)));
}

/**
 * Removes the lock of a dead process. Several may want to; a slow one must not remove the lock that a quick one put in
 * its place. So the right to remove this very lock is a lock itself.
 */
async function removeStale(file: string, stale: string): Promise<void> {
  const right = await acquireProcessLock(`${file}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`);
  if (right.kind === 'held') {
    await sleep(5);
    return;
  }
  await removeIfStill(file, stale);
  await right.release();
}

async function removeIfStill(file: string, content: string): Promise<void> {
  if ((await read(file)) === content) await rm(file, { force: true });
}

async function isAlive(holder: Holder): Promise<boolean> {
  return (await processIdentity(holder.pid)) === holder.identity;
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(ifCode('ENOENT', undefined));
}

/** A lock that cannot be read, cut short by a full disk or a power failure, is that of a dead process. */
function parseHolder(content: string): Holder {
  try {
    return JSON.parse(content) as Holder;
  } catch (error) {
    if (error instanceof SyntaxError) return { pid: 0, identity: 'unknown', token: '' };
    throw error;
  }
}

async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}
