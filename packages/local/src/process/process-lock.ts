import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hasCode } from '../error-code.ts';
import { processIdentity } from './process-identity.ts';

interface Holder {
  pid: number;
  identity: string;
  /** Tells two locks of one process apart. */
  token: string;
}

export type LockAttempt = { kind: 'taken'; release: () => Promise<void> } | { kind: 'held'; pid: number };

/**
 * Takes a lock file that names the process holding it. A lock whose process is gone (also by kill -9, also when its id
 * has been given to another process since) is taken over.
 *
 * @param file path of the lock; its directory exists.
 */
export async function takeProcessLock(file: string): Promise<LockAttempt> {
  const identity = await processIdentity(process.pid);
  if (identity === undefined) throw new Error(`cannot tell the start time of this process (${process.pid})`);
  const own: Holder = { pid: process.pid, identity, token: randomUUID() };
  const draft = `${file}.${own.token}`;
  await writeFile(draft, JSON.stringify(own), { mode: 0o600 });
  try {
    for (;;) {
      // A link appears at once and with its content, and only where nothing is: two processes cannot both succeed.
      if (await linkIfFree(draft, file)) return { kind: 'taken', release: () => release(file, own) };
      const holder = await readHolder(file);
      if (holder === undefined) continue;
      if ((await processIdentity(holder.pid)) === holder.identity) return { kind: 'held', pid: holder.pid };
      await removeStale(file, holder);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/** Whether a living process holds this lock. */
export async function isLockHeld(file: string): Promise<boolean> {
  const holder = await readHolder(file);
  return holder !== undefined && (await processIdentity(holder.pid)) === holder.identity;
}

async function release(file: string, own: Holder): Promise<void> {
  if ((await readHolder(file))?.token === own.token) await rm(file, { force: true });
}

/** Removes the lock of a dead process, unless somebody else did and holds it by now. */
async function removeStale(file: string, stale: Holder): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readHolder(aside))?.token !== stale.token) await linkIfFree(aside, file);
  await rm(aside, { force: true });
}

/** @returns undefined when there is no lock; an unreadable one counts as that of a dead process. */
async function readHolder(file: string): Promise<Holder | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Holder;
  } catch (error) {
    // Cut short by a full disk or a power failure: its writer is gone.
    if (error instanceof SyntaxError) return { pid: 0, identity: '', token: text };
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
