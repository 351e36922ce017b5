import { describe, expect, it } from '@jest/globals';
import { memoryOverTime } from './memory-samples.ts';

describe('memoryOverTime', () => {
  it('is the average of each third of the time between the first sample and the last', () => {
    const samples = [
      { atMs: 1000, bytes: 10 },
      { atMs: 1200, bytes: 30 },
      { atMs: 1500, bytes: 50 },
      { atMs: 1900, bytes: 70 },
      { atMs: 2000, bytes: 90 },
    ];
    expect(memoryOverTime(samples)).toEqual({ first: 20, middle: 50, last: 80 });
  });

  it('does not know what was not looked at', () => {
    expect(memoryOverTime([])).toEqual({ first: undefined, middle: undefined, last: undefined });
    expect(memoryOverTime([{ atMs: 5, bytes: 10 }])).toMatchObject({ first: undefined, last: 10 });
  });
});
