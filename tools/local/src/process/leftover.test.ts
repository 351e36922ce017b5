import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { endLeftover } from './leftover.ts';

async function startSleeper(mark: string): Promise<{ pid: number; ended: Promise<unknown> }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', mark], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  if (child.pid === undefined) throw new Error('it did not start');
  return { pid: child.pid, ended };
}

describe('endLeftover', () => {
  it('ends the program with that mark and waits until it is gone', async () => {
    const { pid, ended } = await startSleeper('/our/data');
    expect(await endLeftover(pid, '/our/data', 'SIGTERM')).toBe('gone');
    expect(await ended).toEqual([null, 'SIGTERM']);
    expect(await endLeftover(pid, '/our/data', 'SIGTERM')).toBe('gone');
  });

  it('leaves a program alone that has the process id by now', async () => {
    const { pid, ended } = await startSleeper('/their/data');
    expect(await endLeftover(pid, '/our/data', 'SIGTERM')).toBe('stranger');
    process.kill(pid, 'SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
  });
});
