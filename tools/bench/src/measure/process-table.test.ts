import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parsePeakBytes, parseProcessStat, processWithCommand, readTree, treeOf } from './process-table.ts';

/** Elsewhere everything is unknown. */
const hasProc = process.platform === 'linux';

describe('the process table', () => {
  it('counts what a child has used, also after it ended, as part of the tree', async () => {
    const before = await readTree(process.pid);
    // Until it has used 0.2 s, however long that takes.
    const child = spawn(process.execPath, ['-e', 'while (process.cpuUsage().user < 200_000);']);
    await once(child, 'exit');
    const after = await readTree(process.pid);
    expect(after !== undefined).toBe(hasProc);
    if (!hasProc) return;
    expect((after?.cpuS ?? 0) - (before?.cpuS ?? 0)).toBeGreaterThan(0.1);
    expect(after?.peakBytes).toBeGreaterThan(1e6);
  });

  it('finds the topmost process that names a text', async () => {
    const mark = `mark-${process.pid}-${Date.now()}`;
    // The inner shell inherits the command line's text; both wait for a line that never comes.
    const child = spawn('/bin/sh', ['-c', `/bin/sh -c 'read line; : ${mark}'; : ${mark}`]);
    await once(child, 'spawn');
    expect(await processWithCommand(mark)).toBe(hasProc ? child.pid : undefined);
    child.stdin.end();
    await once(child, 'exit');
  });

  it('knows nothing of a process that does not exist', async () => {
    expect(await readTree(2 ** 22 + 1)).toBeUndefined();
    expect(await processWithCommand('a process that does not exist')).toBeUndefined();
  });
});

describe('parseProcessStat', () => {
  it('adds up user and kernel time, also that of children that ended', () => {
    const line = '42 (postgres) S 7 42 42 0 -1 4194560 9 9 9 9 100 20 3000 400 20 0 1 0 4242 1 1';
    expect(parseProcessStat(line)).toEqual({ pid: 42, parentPid: 7, cpuS: 35.2 });
  });

  it('is not confused by a command with blanks and brackets', () => {
    const line = '5 (a) b) c) R 4 5 5 0 -1 0 0 0 0 0 50 0 0 0 20 0 1 0 1 1 1';
    expect(parseProcessStat(line)).toEqual({ pid: 5, parentPid: 4, cpuS: 0.5 });
  });

  it('refuses anything else', () => {
    expect(() => parseProcessStat('no such thing')).toThrow(/stat/);
  });
});

describe('treeOf', () => {
  it('finds children of children and no other process', () => {
    const parents = { 1: 0, 2: 1, 3: 2, 4: 3, 5: 1, 6: 5 };
    const all = Object.entries(parents).map(([pid, parentPid]) => ({ pid: Number(pid), parentPid, cpuS: 0 }));
    expect(treeOf(2, all).map(({ pid }) => pid)).toEqual([2, 3, 4]);
    expect(treeOf(99, all)).toEqual([]);
  });
});

describe('parsePeakBytes', () => {
  it('reads the high-water mark', () => {
    expect(parsePeakBytes('Name:\tnode\nVmPeak:\t  999 kB\nVmHWM:\t   120 kB\nVmRSS:\t 100 kB\n')).toBe(120 * 1024);
    expect(parsePeakBytes('Name:\tkthreadd\n')).toBe(0);
  });
});
