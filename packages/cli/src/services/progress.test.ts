import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { watchProgress, workOf } from './progress.ts';

it('there is progress for as long as its sign changes in time, however long it takes', () => {
  let nowMs = 0;
  const isMoving = watchProgress(1_000, () => nowMs);
  const after = (ms: number, sign: string) => {
    nowMs += ms;
    return isMoving(sign);
  };
  expect([after(900, 'a'), after(900, 'b'), after(5_000, 'c'), after(999, 'c')]).toEqual([true, true, true, true]);
  expect([after(1, 'c'), after(1, 'd')]).toEqual([false, true]);
});

it('a process that works or writes to its log makes progress', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-progress-'));
  const log = path.join(dir, 'log');
  await writeFile(log, '');
  const before = await workOf(undefined, log);
  expect(await workOf(undefined, log)).toBe(before);
  await appendFile(log, 'x');
  expect(await workOf(undefined, log)).not.toBe(before);
  if (process.platform === 'linux') {
    const sign = await workOf(process.pid, log);
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 50_000);
    expect(await workOf(process.pid, log)).not.toBe(sign);
  }
  await rm(dir, { recursive: true });
});
