import { describe, expect, it } from '@jest/globals';
import { sharedPostgres, sharedRedis } from '@callout/local/test-run';
import { parseOptions } from '../options.ts';
import { builtPrograms } from '../process/programs.ts';
import { runIsolationBench } from './isolation-bench.ts';
import { isolationJsonLine } from './isolation-report.ts';

describe('runIsolationBench', () => {
  it('makes receivers hang, fail and be slow over the real processes, and loses nothing', async () => {
    const parsed = parseOptions(['--isolation', '--cycles', '1']);
    if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
    const run = await runIsolationBench(
      parsed.options,
      {
        env: {
          DATABASE_URL: (await sharedPostgres()).url,
          REDIS_URL: (await sharedRedis()).url,
          CALLOUT_TIMEOUT_MS: '2500',
          SWEEP_EVERY_MS: '100',
        },
        programs: builtPrograms(),
        dataDir: 'unused: both servers are given',
        tell: () => undefined,
        interrupted: new Promise<never>(() => {}),
      },
      { webhooks: 10, eventsPerS: 20, eventsPerRound: 4 },
    );
    const { result } = run;
    expect(result).toMatchObject({ owed: 280, lost: 0, unowed: 0, outOfOrder: 0 });
    expect(result.rounds.map(({ trouble, owedToBad }) => [trouble, owedToBad])).toEqual([
      ...[
        ['none', 0],
        ['hanging', 4],
        ['none', 0],
        ['failing', 4],
        ['none', 0],
        ['slow', 4],
        ['none', 0],
      ],
    ]);
    for (const { trouble, attemptsAtBad } of result.rounds) expect(attemptsAtBad > 0).toBe(trouble !== 'none');
    expect(JSON.parse(isolationJsonLine(run))).toMatchObject({ webhooks: 10, lost: 0, troubles: expect.any(Array) });
  });
});
