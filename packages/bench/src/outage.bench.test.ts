import { describe, expect, it } from '@jest/globals';
import { optionsOf, testCompany, testDeps } from './small-run.fixture.ts';
import { renderOutage, runOutageBench } from './outage-bench.ts';

describe('runOutageBench', () => {
  it('counts fewer callouts for a webhook that merges', async () => {
    const result = await runOutageBench(
      optionsOf('--outage', '--events', '400'),
      await testCompany(),
      await testDeps(),
    );
    expect(result).toMatchObject({ isWhole: true, without: { records: 4, changes: 400, callouts: 400 } });
    expect(result.merging.callouts).toBeLessThanOrEqual(8);
    expect(renderOutage(result)).toMatch(/\n\| callouts +\| +400 \| +[4-8] \|\n/);
  });
});
