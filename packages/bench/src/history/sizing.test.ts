import { describe, expect, it } from '@jest/globals';
import type { LoadPair } from './history-result.ts';
import type { LoadResult } from './history-side.ts';
import { sizingOf, sizingTable } from './sizing.ts';

/** A load of single events whose results cost `times` of something round. */
function pairOf(rate: number, times: number): LoadPair {
  const result = {
    cpuSPer1000: { api: 0.3 * times, worker: 0.6 * times, postgres: 0.6 * times, redis: 0.06 * times },
    statementsPerCallout: 2 * times,
    writeTransactionsPerCallout: times,
    walBytesPerCallout: 10_000,
  } as LoadResult;
  return { load: { name: '', events: 1, batch: 1, connections: 64, rate }, empty: [], history: [result] };
}

describe('sizingOf', () => {
  it('reckons by the load that the rate resembles, and uses cores to 60 %', () => {
    const rows = sizingOf({ loads: [pairOf(200, 5), pairOf(0, 1)], bytesPerCallout: 5000 }) ?? [];
    expect(rows.map(({ calloutsPerS }) => calloutsPerS)).toEqual([100, 500, 1000, 5000, 10_000, 50_000]);
    expect(rows[1]).toMatchObject({ calloutsPerS: 500, commitsPerS: 2500, statementsPerS: 5000, zones: 1 });
    expect(rows[1]?.postgresCores).toBeCloseTo(2.5);
    expect(rows[3]).toMatchObject({ commitsPerS: 5000, walBytesPerS: 50e6, apiProcesses: 3, workerProcesses: 5 });
    expect(rows[3]?.connections).toBe(3 * 24 + 5 * 10);
    expect(rows[5]).toMatchObject({ zones: 5, diskBytesPerDay: 50_000 * 86_400 * 5000 });
    expect(sizingTable(rows)).toHaveLength(7);
  });

  it('says nothing without both loads', () => {
    expect(sizingOf({ loads: [pairOf(200, 1)], bytesPerCallout: 1 })).toBe(undefined);
  });
});
