import { expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { runViewersBench } from './viewers-bench.ts';
import { renderViewersReport } from './viewers-report.ts';

it('tells every viewer every event of its tenant', async () => {
  const parsed = parseOptions(['--viewers', '20']);
  if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
  const result = await runViewersBench(parsed.options, {
    env: { DATABASE_URL: (await sharedPostgres()).url, REDIS_URL: (await sharedRedis()).url },
    programs: builtPrograms(),
    dataDir: 'unused: both servers are given',
    tell: () => undefined,
    interrupted: new Promise<never>(() => {}),
  });
  expect(result.rounds.map(({ lost }) => lost)).toEqual([0, 0, 0]);
  expect(result.rounds[2]?.toldPerS).toBeGreaterThan(0);
  expect(renderViewersReport(result)).toMatch(/^Run: +20 viewers of one API/);
});
