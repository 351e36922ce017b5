import { describe, expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local';
import { runBench } from './bench.ts';
import { parseOptions } from './options.ts';
import { makePlan, type Plan } from './plan.ts';
import { jsonLine } from './report/json-line.ts';
import { programsFromSource } from './test/programs-from-source.ts';

async function planOf(...args: string[]): Promise<Plan> {
  const parsed = parseOptions(args);
  const plan = parsed.kind === 'run' ? await makePlan(parsed.options) : 'refused';
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('runBench', () => {
  it.each([
    ['delivering meanwhile', []],
    ['delivering afterwards', ['--accept-first', '--connections', '3']],
  ])('measures a small run over the real processes, %s, and loses nothing', async (_, more) => {
    const plan = await planOf('--events', '40', '--batch', '7', '--fanout', '3', ...more);
    const { run, result } = await runBench(plan, {
      env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
      programs: programsFromSource,
      dataDir: 'unused: both servers are given',
      tell: () => undefined,
      interrupted: new Promise<never>(() => {}),
    });
    expect(result).toMatchObject({ accepted: 40, owed: 120, delivered: 120, lost: 0, unowed: 0, outOfOrder: 0 });
    expect(JSON.parse(jsonLine(run, result))).toMatchObject({
      lost: 0,
      duplicates: 0,
      bodyBytes: expect.any(Number),
    });
    expect(result.acceptance !== undefined).toBe(more.length > 0);
  });
});
