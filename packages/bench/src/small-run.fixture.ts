import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { runBench } from './bench.ts';
import { parseOptions } from './options.ts';
import { makePlan, type Plan } from './plan.ts';
import { builtPrograms } from './process/programs.ts';

async function planOf(...args: string[]): Promise<Plan> {
  const parsed = parseOptions(args);
  const plan = parsed.kind === 'run' ? await makePlan(parsed.options) : 'refused';
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

/** Runs the benchmark with 40 events for three webhooks over the real processes. @param more options. */
export async function smallRun(...more: string[]): ReturnType<typeof runBench> {
  return runBench(await planOf('--events', '40', '--batch', '7', '--fanout', '3', ...more), {
    env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
    programs: builtPrograms(),
    dataDir: 'unused: both servers are given',
    tell: () => undefined,
    interrupted: new Promise<never>(() => {}),
  });
}

/** What both kinds of it must find. */
export const nothingLost = { accepted: 40, owed: 120, delivered: 120, lost: 0, unowed: 0, outOfOrder: 0 };
