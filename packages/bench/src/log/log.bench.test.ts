import { describe, expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions, type BenchOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { runLogBench } from './log-bench.ts';
import { logJsonLine, renderLogReport } from './log-report.ts';

function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

describe('runLogBench', () => {
  it('fills the log, asks every question through the API, and finds what there is by indexes', async () => {
    const result = await runLogBench(optionsOf('--log', '4000', '--json'), {
      env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
      programs: builtPrograms(),
      dataDir: 'unused: both servers are given',
      tell: () => undefined,
      interrupted: new Promise<never>(() => {}),
    });
    expect(result.attempts).toBeGreaterThan(3900);
    expect(result.attempts).toBeLessThan(4100);
    for (const { tookMs, refused, looked } of result.answered) {
      expect(tookMs.length).toBeGreaterThan(0);
      expect(refused).toBe(0);
      expect(looked.tablesRead).toBe(0);
      expect(looked.indexes.length).toBeGreaterThan(0);
    }
    const report = renderLogReport(result);
    expect(report).toMatch(/^Run: +4,\d\d\d attempts of 3,\d\d\d callouts|^Run: +3,9\d\d attempts/);
    expect(report).toMatch(/\n\| first page of a webhook +\| +\d+ \| +\d/);
    expect(report).toMatch(/\n\| first page of a webhook +\| .*callouts_webhook_key_id_idx/);
    expect(report).toMatch(/\n\| {3}attempts_failed +\| +\d+ MiB/);
    expect(JSON.parse(logJsonLine(result))).toMatchObject({ attempts: result.attempts, requests: expect.any(Array) });
  });
});
