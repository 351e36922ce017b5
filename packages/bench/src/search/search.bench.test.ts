import { describe, expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions, type BenchOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { questionsAbout } from './questions.ts';
import { runSearchBench } from './search-bench.ts';
import { renderSearchReport, searchJsonLine } from './search-report.ts';

function optionsOf(...args: string[]): BenchOptions {
  const parsed = parseOptions(args);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

describe('runSearchBench', () => {
  it('fills a tenant, asks every question through the API, and finds what there is', async () => {
    const result = await runSearchBench(optionsOf('--search', '1234', '--json'), {
      env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
      programs: builtPrograms(),
      dataDir: 'unused: both servers are given',
      tell: () => undefined,
      interrupted: new Promise<never>(() => {}),
    });
    expect(result.answered).toHaveLength(questionsAbout(1234).length + 1);
    for (const { tookMs } of result.answered) expect(tookMs.length).toBeGreaterThan(0);
    expect(result.answered.at(-1)).toMatchObject({ rows: 1234, tookMs: { length: 3 } });
    const report = renderSearchReport(result);
    expect(report).toMatch(/^Run: +1,234 companies of one tenant/);
    expect(report).toMatch(/\n\| one by its number: eq +\| +6 \| +1 \| +\d/);
    expect(JSON.parse(searchJsonLine(result))).toMatchObject({ companies: 1234, queries: expect.any(Array) });
  });
});
