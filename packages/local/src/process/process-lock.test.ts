import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { startOtherProcess } from '../test-run/other-process.ts';
import { temporaryDirectory } from '../test-run/temporary-directory.fixture.ts';
import { isLockHeld, type LockAttempt, takeProcessLock } from './process-lock.ts';

const dir = temporaryDirectory();
let count = 0;
const newLock = () => path.join(dir, `lock${++count}`);

async function release(attempt: LockAttempt): Promise<void> {
  if (attempt.kind === 'taken') await attempt.release();
}

describe('takeProcessLock', () => {
  it('lets one in at a time and names who that is', async () => {
    const file = newLock();
    const first = await takeProcessLock(file);
    expect(first.kind).toBe('taken');
    expect(await takeProcessLock(file)).toEqual({ kind: 'held', pid: process.pid });
    expect(await isLockHeld(file)).toBe(true);
    await release(first);
    expect(await isLockHeld(file)).toBe(false);
    const second = await takeProcessLock(file);
    expect(second.kind).toBe('taken');
    await release(first); // too late: it is the second one's now
    expect(await isLockHeld(file)).toBe(true);
  });

  it('lets exactly one of many in, also over the lock of a dead process', async () => {
    const file = newLock();
    await writeFile(file, JSON.stringify({ pid: process.pid, identity: 'an earlier life', token: 'old' }));
    const attempts = await Promise.all(Array.from({ length: 20 }, () => takeProcessLock(file)));
    expect(attempts.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
    const leftovers = (await readdir(dir)).filter((name) => name.startsWith(`${path.basename(file)}.`));
    expect(leftovers).toEqual([]);
  });

  it('respects another process while it lives and takes over when it was killed', async () => {
    const file = newLock();
    const other = await startOtherProcess(`
      import { takeProcessLock } from './src/process/process-lock.ts';
      const { kind } = await takeProcessLock(${JSON.stringify(file)});
      console.log(JSON.stringify({ kind, pid: process.pid }));
      setInterval(() => {}, 1000);
    `);
    const { pid } = other.said as { pid: number };
    expect(other.said).toEqual({ kind: 'taken', pid });
    expect(await takeProcessLock(file)).toEqual({ kind: 'held', pid });
    await other.kill();
    expect((await takeProcessLock(file)).kind).toBe('taken');
  });

  it('is not blocked by another program that has the process id of a dead holder', async () => {
    const file = newLock();
    await takeProcessLock(file);
    const holder = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...holder, identity: 'of another process' }));
    expect((await takeProcessLock(file)).kind).toBe('taken');
  });

  it.each(['', '{"pid":12', 'garbage'])('is not blocked by a broken lock: %j', async (content) => {
    const file = newLock();
    await writeFile(file, content);
    expect(await isLockHeld(file)).toBe(false);
    expect((await takeProcessLock(file)).kind).toBe('taken');
  });
});
