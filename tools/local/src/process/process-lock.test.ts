import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startOtherProcess } from '../test-run/other-process.ts';
import { temporaryDirectory } from '../test-run/temporary-directory.fixture.ts';
import { isLocked, type LockAttempt, acquireProcessLock } from './process-lock.ts';

const dir = temporaryDirectory();
let count = 0;
const newLock = () => path.join(dir, `lock${++count}`);

async function release(attempt: LockAttempt): Promise<void> {
  if (attempt.kind === 'taken') await attempt.release();
}

describe('acquireProcessLock', () => {
  it('lets one in at a time and names who that is', async () => {
    const file = newLock();
    const first = await acquireProcessLock(file);
    expect(first.kind).toBe('taken');
    expect(await acquireProcessLock(file)).toEqual({ kind: 'held', pid: process.pid });
    expect(await isLocked(file)).toBe(true);
    await release(first);
    expect(await isLocked(file)).toBe(false);
    const second = await acquireProcessLock(file);
    expect(second.kind).toBe('taken');
    await release(first); // too late: it is the second one's now
    expect(await isLocked(file)).toBe(true);
  });

  it('lets exactly one of many in, also over the lock of a dead process', async () => {
    const file = newLock();
    await writeFile(file, JSON.stringify({ pid: process.pid, identity: 'an earlier life', token: 'old' }));
    const attempts = await Promise.all(Array.from({ length: 20 }, () => acquireProcessLock(file)));
    expect(attempts.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
    const leftovers = (await readdir(dir)).filter((name) => name.startsWith(`${path.basename(file)}.`));
    expect(leftovers).toEqual([]);
  });

  it('respects another process while it lives and takes over when it was killed', async () => {
    const file = newLock();
    const other = await startOtherProcess(`
      import { acquireProcessLock } from './src/process/process-lock.ts';
      const { kind } = await acquireProcessLock(${JSON.stringify(file)});
      console.log(JSON.stringify({ kind, pid: process.pid }));
      setInterval(() => {}, 1000);
    `);
    const { pid } = other.message as { pid: number };
    expect(other.message).toEqual({ kind: 'taken', pid });
    expect(await acquireProcessLock(file)).toEqual({ kind: 'held', pid });
    await other.kill();
    expect((await acquireProcessLock(file)).kind).toBe('taken');
  });

  it('is not blocked by another program that has the process id of a dead holder', async () => {
    const file = newLock();
    await acquireProcessLock(file);
    const holder = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...holder, identity: 'of another process' }));
    expect((await acquireProcessLock(file)).kind).toBe('taken');
  });

  it.each(['', '{"pid":12', 'garbage'])('is not blocked by a broken lock: %j', async (content) => {
    const file = newLock();
    await writeFile(file, content);
    expect(await isLocked(file)).toBe(false);
    expect((await acquireProcessLock(file)).kind).toBe('taken');
  });
});
