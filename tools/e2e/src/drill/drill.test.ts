import { expect, it } from '@jest/globals';
import { briefChaos } from './faults/scenario.ts';
import { useDrill } from './use-drill.ts';

const drill = useDrill();

it('loses nothing and keeps every order while Redis is emptied and PostgreSQL, API and workers are killed', async () => {
  const { problems, events, callouts, signedTwice } = await drill(briefChaos);
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(signedTwice).toBeGreaterThan(0);
  expect(problems.slice(0, 40)).toEqual([]);
});
