import { describe, expect, it } from '@jest/globals';
import type { PerPart, Usage } from '../measure/usage.ts';
import { parseOptions, type BenchOptions } from '../options.ts';
import { jsonLine } from './json-line.ts';
import { judgeRun, keptItsPromises, type Observed } from './result.ts';
import { renderReport, type RunDescription } from './table.ts';

function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

const nothing: PerPart = { api: 0, worker: 0, postgres: 0, redis: 0, receiver: 0, driver: 0 };
const before: Usage = {
  atMs: 1000,
  machineCpuS: 50,
  cpuS: nothing,
  peakBytes: nothing,
  postgres: { statements: 100, writeTransactions: 10, walBytes: 1000 },
  redis: new Map([['evalsha', 5]]),
};
const after: Usage = {
  atMs: 3000,
  machineCpuS: 51,
  cpuS: { api: 0.002, worker: 0.004, postgres: undefined, redis: 0.001, receiver: 0.003, driver: 0.001 },
  peakBytes: { ...nothing, api: 100 * 2 ** 20, postgres: undefined },
  postgres: { statements: 108, writeTransactions: 12, walBytes: 9000 },
  redis: new Map([['evalsha', 7]]),
};

/** Two events to two webhooks, sent at 1,000 and 1,500; everything came half a second later, at webhook 1 a second. */
function aRun(changes: Partial<Observed> = {}): Observed {
  return {
    options: optionsOf('--events', '2', '--fanout', '2'),
    behaviours: ['prompt', 'prompt'],
    driven: { firstSentAtMs: 1000, lastAnsweredAtMs: 2000, sentAtMs: Float64Array.of(1000, 1500) },
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
    accepted: undefined,
    after,
    apiMemory: { first: 100 * 2 ** 20, middle: undefined, last: 120 * 2 ** 20 },
    ...changes,
  };
}

const run: RunDescription = {
  options: aRun().options,
  machine: '2 × a CPU',
  postgres: 'PostgreSQL 18 (embedded): fsync=on',
  redis: 'Redis 7 (native): appendonly=yes',
  settings: ['CALLOUTS_IN_FLIGHT=100'],
};

describe('judgeRun', () => {
  it('measures rates from the first request, latency from the request of each event, cost per callout', () => {
    expect(judgeRun(aRun())).toMatchObject({
      acceptedPerS: 2,
      deliveredPerS: 2,
      p50Ms: 500,
      p99Ms: 1000,
      promptLatency: undefined,
      statementsPerCallout: 2,
      writeTransactionsPerCallout: 0.5,
      walBytesPerCallout: 2000,
      redisCommandsPerCallout: 0.5,
      cpuSPer1000: { api: 0.5, worker: 1, postgres: undefined },
      lost: 0,
    });
  });

  it('shows the latency of prompt receivers apart when there are others', () => {
    const { p99Ms, promptLatency } = judgeRun(aRun({ behaviours: ['prompt', 'slow'] }));
    expect({ p99Ms, promptLatency }).toMatchObject({ p99Ms: 1000, promptLatency: { p50Ms: 500, p99Ms: 500 } });
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

  it('has no numbers for what was not counted, and survives a run without a single arrival', () => {
    const uncounted = { ...after, postgres: { ...after.postgres, statements: undefined } };
    expect(judgeRun(aRun({ after: uncounted })).statementsPerCallout).toBeUndefined();
    const { arrivals } = aRun();
    const none = {
      ...arrivals,
      requests: 0,
      delivered: 0,
      bodyBytes: 0,
      lastTakenAtMs: 0,
      firstArrivedAtMs: new Float64Array(4),
    };
    const result = judgeRun(aRun({ arrivals: none }));
    expect(result).toMatchObject({ lost: 4, deliveredPerS: 0 });
    expect(renderReport(run, result)).toContain('n/a');
    expect(JSON.parse(jsonLine(run, result))).toMatchObject({ lost: 4, p50Ms: null, bodyBytes: null });
  });
});

describe('renderReport', () => {
  const text = renderReport(run, judgeRun(aRun()));

  it('says what was run, on what, and with which settings', () => {
    expect(text).toContain('2 events, 100 per request over 8 connections; 2 webhooks; 1 worker');
    for (const words of [run.machine, run.postgres, run.redis, 'CALLOUTS_IN_FLIGHT=100']) expect(text).toContain(words);
  });

  it('is one Markdown table with a row for each measure', () => {
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\| accepted\/s +\| +2 \| 2 events in 1\.00 s +\|$/),
        expect.stringMatching(/^\| event to receiver, p99 +\| +1,000 ms \|/),
        expect.stringMatching(/^\| CPU-s per 1,000 callouts, API +\| +0\.500 \| peak memory 100 MiB +\|$/),
        expect.stringMatching(/^\| CPU-s per 1,000 callouts, PostgreSQL +\| +n\/a \|/),
        expect.stringMatching(/^\| lost +\| +0 \| of 4 callouts owed +\|$/),
      ]),
    );
  });

  it('shows no sum that lacks a part', () => {
    expect(text).toMatch(/callouts, service +\| +n\/a/);
    const complete = { ...after, cpuS: { ...after.cpuS, postgres: 0.013 } };
    const report = renderReport(run, judgeRun(aRun({ after: complete })));
    expect(report).toMatch(/callouts, service +\| +5\.000/);
    expect(report).toMatch(/callouts, everything +\| +6\.000 \| 0\.012 cores in use, by others 0\.488 /);
  });
});

describe('a run whose workers started afterwards', () => {
  it('tells what accepting its events cost, and the memory of the API meanwhile', () => {
    const accepted: Usage = {
      ...after,
      cpuS: { ...after.cpuS, api: 0.001, worker: 0, postgres: 0.004 },
      postgres: { statements: 103, writeTransactions: 11, walBytes: 3000 },
    };
    const result = judgeRun(aRun({ accepted }));
    expect(result.acceptance).toEqual({
      cpuSPer1000: { api: 0.5, worker: 0, postgres: 2, redis: 0.5, receiver: 1.5, driver: 0.5 },
      statementsPerEvent: 1.5,
      writeTransactionsPerEvent: 0.5,
      walBytesPerEvent: 1000,
    });
    const report = renderReport(run, result);
    expect(report).toMatch(/events accepted, service +\| +3\.000/);
    expect(report).toMatch(/API memory while accepting +\| +100 \/ n\/a \/ 120 /);
    expect(JSON.parse(jsonLine(run, result))).toMatchObject({
      apiMiB: { first: 100, middle: null, last: 120 },
      acceptance: { cpuSPer1000: { service: 3 } },
    });
    expect(renderReport(run, judgeRun(aRun()))).not.toContain('events accepted');
  });
});

describe('jsonLine', () => {
  it('is one line that begins with the figures that matter most', () => {
    const line = jsonLine(run, judgeRun(aRun()));
    expect(line).not.toContain('\n');
    const figures = JSON.parse(line) as Record<string, unknown>;
    expect(figures).toMatchObject({
      acceptedPerS: 2,
      deliveredPerS: 2,
      p50Ms: 500,
      p95Ms: 1000,
      p99Ms: 1000,
      cpuSPer1000: { api: 0.5, postgres: null, service: null },
      duplicates: 0,
      lost: 0,
      run: { events: 2, fanout: 2 },
    });
    expect(Object.keys(figures).slice(0, 5)).toEqual(['acceptedPerS', 'deliveredPerS', 'p50Ms', 'p95Ms', 'p99Ms']);
  });
});
