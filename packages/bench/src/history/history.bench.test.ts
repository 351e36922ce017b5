import { describe, expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions, type BenchOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { runHistoryBench } from './history-bench.ts';
import { historyJsonLine, renderHistoryReport } from './history-report.ts';

function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

const size = {
  loads: [{ name: 'some', events: 40, batch: 4, connections: 2, rate: 0 }],
  warmEvents: 100,
  times: 1,
  fewAttempts: 1000,
};

describe('runHistoryBench', () => {
  it('compares a load, questions and chores on a history and on none, and drops a day of it', async () => {
    const deps = {
      env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
      programs: builtPrograms(),
      dataDir: 'unused: both servers are given',
      tell: () => undefined,
      interrupted: new Promise<never>(() => {}),
    };
    const result = await runHistoryBench(optionsOf('--history', '3000', '--cycles', '1'), deps, size);
    expect(result.isWhole).toBe(true);
    expect(result.loads[0]?.history[0]).toMatchObject({ delivered: 40, duplicates: 0 });
    expect(result.retention?.dropped).toBeGreaterThan(0);
    expect(result.answers.length).toBeGreaterThan(5);
    for (const { history } of result.answers) expect(history.looked.tablesRead).toBe(0);
    const report = renderHistoryReport(result);
    expect(report).toMatch(/\n\| service +\| +\d\.\d+ +\| +\d\.\d+ +\| +\d/);
    expect(report).toMatch(/\n\| retention, dropping a day: \d+ tables/);
    expect(JSON.parse(historyJsonLine(result))).toMatchObject({ attempts: result.attempts, isWhole: true });
  });
});
