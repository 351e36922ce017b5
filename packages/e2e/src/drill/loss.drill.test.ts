import { expect, it } from '@jest/globals';
import { chaos } from './faults/scenario.ts';
import { drillRounds } from './settings.ts';
import { useDrill } from './use-drill.ts';

const drill = useDrill();

it('loses nothing and keeps every order while Redis, PostgreSQL, API and workers come and go', async () => {
  const { problems, events, callouts } = await drill(chaos(drillRounds));
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(problems.slice(0, 40)).toEqual([]);
});
