import { expect, it } from '@jest/globals';
import { installedProgram } from '@callout/local/test-run';
import { useDrill } from '../use-drill.ts';
import { redisFailover } from './redis-failover.ts';

const drill = useDrill();
const program = installedProgram('redis-server', 'valkey-server');
/** Behind the name of each test, since none is left out. */
const note = program === undefined ? ' (not tried: neither redis-server nor valkey-server is on PATH)' : '';

const kinds = program === undefined ? [] : (['a Cluster'] as const);

it.each(kinds)('Redis fails over under load, with %s, and nothing is lost', async (kind) => {
  const { problems, events, callouts } = await drill(redisFailover(kind, program ?? '', 1), kind);
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(problems.slice(0, 40)).toEqual([]);
});

it(`Redis that fails over has been tried${note}`, () => {
  expect(kinds).toHaveLength(program === undefined ? 0 : 1);
});
