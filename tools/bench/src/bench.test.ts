import { describe, expect, it } from '@jest/globals';
import { runLoads } from './bench.ts';
import { nothingLost, optionsOf, smallLoad, testDeps } from './small-run.fixture.ts';

describe('runLoads', () => {
  it('measures a small load over the real processes, delivering meanwhile, and loses nothing', async () => {
    const { results } = await runLoads(optionsOf(...smallLoad), await testDeps());
    expect(results).toMatchObject([nothingLost]);
    // An event has a body of 1 KB, which is stored and logged for each of three callouts.
    for (const { diskBytesPerEvent, logBytesPerEvent } of results) {
      expect(logBytesPerEvent).toBeGreaterThan(3 * 1024);
      expect(diskBytesPerEvent).toBeGreaterThan(3 * 1024);
    }
  });
});
