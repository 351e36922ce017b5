import { expect, it } from '@jest/globals';
import { installedProgram } from '@callout/local/test-run';
import { drillRounds } from './settings.ts';
import { useDrill } from './use-drill.ts';
import { redisFailover, redisKinds } from './redis-failover.ts';

const drill = useDrill();

it.each(redisKinds)('Redis fails over under load, again and again, with %s, and nothing is lost', async (kind) => {
  const program = installedProgram('redis-server', 'valkey-server');
  if (program === undefined) throw new Error('this drill needs redis-server or valkey-server on PATH');
  const { problems, events, callouts } = await drill(redisFailover(kind, program, drillRounds));
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(problems.slice(0, 40)).toEqual([]);
});
