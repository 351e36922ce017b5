import { describe, expect, it } from '@jest/globals';
import path from 'node:path';
import { sharedPostgres, sharedRedis } from '@callout/local';
import { runBench } from './bench.ts';
import { parseOptions } from './options.ts';
import { makePlan, type Plan } from './plan.ts';
import type { Program } from './process/fork-program.ts';
import { jsonLine } from './report/json-line.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const runTypeScript = path.join(root, 'packages/testing/jest/run-typescript.js');

/** The programs from their sources: tests need no build. */
function fromSource(name: string, file: string): Program {
  return { name, file: path.join(root, file), execArgv: ['-C', 'source', '--import', runTypeScript] };
}

const programs = {
  api: fromSource('api', 'apps/api/src/main.ts'),
  worker: fromSource('worker', 'apps/worker/src/main.ts'),
  receiver: fromSource('receiver', 'packages/bench/src/receiver/main.ts'),
};

async function planOf(...args: string[]): Promise<Plan> {
  const parsed = parseOptions(args);
  const plan = parsed.kind === 'run' ? await makePlan(parsed.options) : 'refused';
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('runBench', () => {
  it('measures a small run over the real processes and loses nothing', async () => {
    const plan = await planOf('--events', '40', '--batch', '7', '--fanout', '3');
    const { run, result } = await runBench(plan, {
      env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
      programs,
      dataDir: 'unused: both servers are given',
      tell: () => undefined,
      interrupted: new Promise<never>(() => {}),
    });
    expect(result).toMatchObject({ accepted: 40, owed: 120, delivered: 120, lost: 0, unowed: 0, outOfOrder: 0 });
    expect(JSON.parse(jsonLine(run, result))).toMatchObject({ lost: 0, duplicates: 0, bodyBytes: expect.any(Number) });
  }, 60_000);
});
