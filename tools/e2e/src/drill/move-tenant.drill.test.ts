import { afterAll, expect, it } from '@jest/globals';
import { say } from './say.ts';
import { drillRounds, drillSeed } from './settings.ts';
import { runMoveDrill } from './move-drill.ts';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

it('a tenant moves to another zone under load, while processes die, and nothing is lost', async () => {
  const { story, problems, events } = await runMoveDrill(drillSeed, drillRounds, (stop) => stops.push(stop));
  for (const line of story) say(line);
  expect(events).toBeGreaterThan(50);
  expect(problems.slice(0, 40)).toEqual([]);
});
