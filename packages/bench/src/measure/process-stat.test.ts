import { describe, expect, it } from '@jest/globals';
import { parseMachineCpuS, parseMemory, parseProcessStat, treeOf } from './process-stat.ts';

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

describe('parseMemory', () => {
  it('reads the high-water mark', () => {
    expect(parseMemory('Name:\tnode\nVmPeak:\t  999 kB\nVmHWM:\t   120 kB\nVmRSS:\t 100 kB\n')).toEqual({
      residentBytes: 100 * 1024,
      peakBytes: 120 * 1024,
    });
    expect(parseMemory('Name:\tkthreadd\n')).toEqual({ residentBytes: undefined, peakBytes: undefined });
  });
});

describe('parseMachineCpuS', () => {
  it('adds up everything but idling and waiting', () => {
    expect(parseMachineCpuS('cpu  100 10 200 99999 999 30 4 77 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n')).toBe(3.44);
    expect(parseMachineCpuS('')).toBeUndefined();
  });
});
