import { describe, expect, it } from '@jest/globals';
import type { PerPart, Usage } from './measure/usage.ts';
import { judgeRun, keptItsPromises, renderResults, type Observed } from './result.ts';

const nothing: PerPart = { api: 0, worker: 0, postgres: 0, redis: 0, receiver: 0, driver: 0 };
const before: Usage = {
  cpuS: nothing,
  peakBytes: nothing,
  postgres: { writeTransactions: 10, logBytes: 1000 },
};
const after: Usage = {
  cpuS: { api: 0.002, worker: 0.004, postgres: Number.NaN, redis: 0.001, receiver: 0.003, driver: 0.001 },
  peakBytes: { ...nothing, api: 100 * 2 ** 20, postgres: Number.NaN },
  postgres: { writeTransactions: 12, logBytes: 9000 },
};

/** Two events to two webhooks, sent at 1,000 and 1,500; everything came half a second later, at webhook 1 a second. */
function aRun(changes: Partial<Observed> = {}): Observed {
  return {
    load: { name: 'a load', events: 2, batch: 1, fanout: 2, rate: 0, connections: 8, warmup: 0 },
    driven: {
      firstSentAtMs: 1000,
      lastAnsweredAtMs: 2000,
      sentAtMs: Float64Array.of(1000, 1500),
      answeredAfterMs: [4, 5, 9],
    },
    arrivals: {
      requests: 4,
      delivered: 4,
      duplicates: 0,
      unowed: 0,
      outOfOrder: 0,
      bodyBytes: 4096,
      lastTakenAtMs: 3000,
      firstArrivedAtMs: Float64Array.of(1500, 2000, 2000, 2500),
    },
    before,
    after,
    tableBytes: 16_384,
    ...changes,
  };
}

describe('judgeRun', () => {
  it('measures rates from the first request, latency from the request of each event, cost per callout and event', () => {
    expect(judgeRun(aRun())).toMatchObject({
      acceptedPerS: 2,
      deliveredPerS: 2,
      answeredAfterMs: 5,
      p50Ms: 500,
      p99Ms: 1000,
      perCallout: {
        ...{ writeTransactions: 0.5, logBytes: 2000 },
        cpuSPer1000: { api: 0.5, worker: 1, postgres: Number.NaN },
      },
      diskBytesPerEvent: 8192,
      logBytesPerEvent: 4000,
      lost: 0,
    });
  });

  it('counts what did not come as lost, and leaves it out of the latency', () => {
    const { arrivals } = aRun();
    const firstArrivedAtMs = Float64Array.of(1500, 2000, 2000, 0);
    const result = judgeRun(aRun({ arrivals: { ...arrivals, delivered: 3, firstArrivedAtMs } }));
    expect(result).toMatchObject({ owed: 4, delivered: 3, lost: 1, p99Ms: 1000 });
    expect(keptItsPromises(result)).toBe(false);
  });

  it.each([{ unowed: 1 }, { outOfOrder: 1 }])('does not pass a run with %j', (wrong) => {
    expect(keptItsPromises(judgeRun(aRun({ arrivals: { ...aRun().arrivals, ...wrong } })))).toBe(false);
  });

  it('passes a run with repeats: at least once is the promise', () => {
    expect(keptItsPromises(judgeRun(aRun({ arrivals: { ...aRun().arrivals, duplicates: 3 } })))).toBe(true);
  });
});

describe('renderResults', () => {
  const text = renderResults(['Machine:  2 × a CPU'], [judgeRun(aRun()), judgeRun(aRun({ tableBytes: 4096 }))]);

  it('names what was run on what, and has a row for each measure and a column for each load', () => {
    expect(text).toContain('Machine:  2 × a CPU\nLoad:     a load: 2 events, 1 per request over 8 connections');
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\| event to receiver, p99, ms +\| 1,000\.0 \| 1,000\.0 \|$/),
        expect.stringMatching(/^\| CPU-s per 1,000 callouts: API +\| +0\.500 \|/),
        expect.stringMatching(/^\| bytes on disk per event +\| +8,192 \| +2,048 \|$/),
        expect.stringMatching(/^\| bytes of write-ahead log per event +\| +4,000 \|/),
      ]),
    );
  });

  it('shows n/a for what is not known, and for a sum that lacks a part', () => {
    expect(text).toMatch(/callouts: PostgreSQL +\| +n\/a/);
    expect(text).toMatch(/callouts: service +\| +n\/a/);
    const complete = judgeRun(aRun({ after: { ...after, cpuS: { ...after.cpuS, postgres: 0.013 } } }));
    expect(renderResults([], [complete])).toMatch(/callouts: service +\| +5\.000/);
  });

  it('survives a run without a single arrival', () => {
    const { arrivals } = aRun();
    const none = { ...arrivals, requests: 0, delivered: 0, lastTakenAtMs: 0, firstArrivedAtMs: new Float64Array(4) };
    const result = judgeRun(aRun({ arrivals: none }));
    expect(result).toMatchObject({ lost: 4, deliveredPerS: 0 });
    expect(renderResults([], [result])).toMatch(/event to receiver, p50, ms +\| +n\/a/);
  });
});
