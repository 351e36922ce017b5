import { expect, it } from '@jest/globals';
import { useDrill } from './use-drill.ts';
import { drillRounds } from './settings.ts';
import { postgresFailover } from './postgres-failover.ts';

const drill = useDrill();

it.each(['address', 'hosts'] as const)(
  'PostgreSQL fails over to its standby under load, again and again, found by %s, and nothing is lost',
  async (finding) => {
    const { problems, events, callouts } = await drill(postgresFailover(finding, drillRounds));
    // Else it would have shown nothing.
    expect(events).toBeGreaterThan(50);
    expect(callouts).toBeGreaterThan(100);
    expect(problems.slice(0, 40)).toEqual([]);
  },
);
