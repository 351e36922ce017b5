import { afterAll, describe, expect, it } from '@jest/globals';
import { runDrill } from './drill.ts';
import { say } from './say.ts';
import { drillSeed } from './settings.ts';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
});

const seed = drillSeed;

describe('the loss drill', () => {
  it('loses nothing and keeps every order while Redis, PostgreSQL, API and workers come and go', async () => {
    say(`seed ${seed}; again with DRILL_SEED=${seed} npm test -- packages/e2e/src/drill/drill.test.ts`);
    const { story, problems, events, callouts } = await runDrill(seed, (stop) => stops.push(stop));
    for (const line of story) say(line);
    // Else it would have shown nothing.
    expect(events).toBeGreaterThan(50);
    expect(callouts).toBeGreaterThan(100);
    expect({ seed, problems: problems.slice(0, 40) }).toEqual({ seed, problems: [] });
  });
});
