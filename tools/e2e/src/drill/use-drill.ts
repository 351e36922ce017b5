import { afterAll } from '@jest/globals';
import type { DrillReport } from './check/close-books.ts';
import { runScenario } from './drill.ts';
import type { Scenario } from './faults/scenario.ts';
import type { DrillServers } from './faults/servers.ts';
import { say } from './say.ts';
import { drillSeed } from './settings.ts';

/** Runs drills of a test file with the seed of this run, prints their course, and ends everything that they started. */
export function useDrill() {
  const stops: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  });
  return async <Servers extends DrillServers>(scenario: Scenario<Servers>): Promise<DrillReport> => {
    say(`DRILL_SEED=${drillSeed} does the same again`);
    const report = await runScenario(scenario, drillSeed, (stop) => stops.push(stop));
    for (const line of report.story) say(line);
    return report;
  };
}
