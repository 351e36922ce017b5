import { describe, expect, it } from '@jest/globals';
import { createCallCounts } from './call-counts.ts';

describe('createCallCounts', () => {
  it('counts the calls to each webhook, and how many of them waited at once', () => {
    const calls = createCallCounts(2);
    const first = calls.began(0);
    calls.began(0);
    first();
    calls.began(0);
    expect(calls.counts()).toEqual([
      { requests: 3, mostUnderWay: 2 },
      { requests: 0, mostUnderWay: 0 },
    ]);
  });

  it('leaves out a webhook that it does not know', () => {
    const calls = createCallCounts(1);
    calls.began(1)();
    expect(calls.counts()).toEqual([{ requests: 0, mostUnderWay: 0 }]);
  });
});
