import { expect, it } from '@jest/globals';
import type { Tally } from './faults/every-fault.ts';
import { chaos, mixed } from './faults/scenario.ts';
import { say } from './say.ts';
import { drillExtent, drillRounds } from './settings.ts';
import { useDrill } from './use-drill.ts';

const drill = useDrill();

it('loses nothing and keeps every order while Redis, PostgreSQL, API and workers come and go', async () => {
  const tally: Tally = new Map();
  const { problems, events, callouts, signedTwice } = await drill(
    drillExtent === undefined ? chaos(drillRounds) : mixed(drillExtent, tally),
  );
  for (const [kind, count] of [...tally].toSorted(([one], [other]) => one.localeCompare(other)))
    say(`| ${kind} | ${count} |`);
  // Else it would have shown nothing.
  expect(events).toBeGreaterThan(50);
  expect(callouts).toBeGreaterThan(100);
  expect(signedTwice).toBeGreaterThan(0);
  expect(problems.slice(0, 40)).toEqual([]);
});
