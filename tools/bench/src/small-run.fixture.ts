import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions, type BenchOptions } from './options.ts';
import type { BenchDeps } from './stage.ts';

export function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(`not accepted: ${JSON.stringify(parsed)}`);
  return parsed.options;
}

/** The servers of the test run. @param settings of API and worker. */
export async function testDeps(settings: Readonly<Record<string, string>> = {}): Promise<BenchDeps> {
  return {
    env: { ...settings, DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
    dataDir: 'unused: both servers are given',
    report: () => undefined,
    interrupted: new Promise<never>(() => {}),
  };
}

/** Options of a run with 40 events for three webhooks. */
export const smallLoad = ['--events', '40', '--batch', '7', '--fanout', '3'];
/** What it must find. */
export const nothingLost = { owed: 120, delivered: 120, lost: 0, unowed: 0, outOfOrder: 0 };
