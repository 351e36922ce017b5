import { describe, expect, it } from '@jest/globals';
import { runLoads } from './bench.ts';
import { nothingLost, optionsOf, smallLoad, testCompany, testDeps } from './small-run.fixture.ts';

describe('runLoads', () => {
  it('measures a small load over the real processes, delivering afterwards, and loses nothing', async () => {
    const options = optionsOf(...smallLoad, '--accept-first', '--connections', '3');
    const { results } = await runLoads(options, await testCompany(), await testDeps());
    expect(results).toMatchObject([{ ...nothingLost, acceptance: { logBytes: expect.any(Number) } }]);
  });
});
