import { expect, it } from '@jest/globals';
import { useDrill } from '../use-drill.ts';
import { postgresFailover } from './postgres-failover.ts';

const drill = useDrill();

it('PostgreSQL fails over to its standby under load, DATABASE_URL names both, and nothing is lost', async () => {
  const { problems, events, callouts } = await drill(postgresFailover('hosts', 1), 'hosts');
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(problems.slice(0, 40)).toEqual([]);
});
