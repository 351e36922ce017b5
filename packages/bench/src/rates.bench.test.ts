import { describe, expect, it } from '@jest/globals';
import { optionsOf, testCompany, testDeps } from './small-run.fixture.ts';
import { renderRates, runRatesBench } from './rates-bench.ts';

describe('runRatesBench', () => {
  it('finds the rate kept by 1, 3 and 8 workers', async () => {
    const result = await runRatesBench(optionsOf('--rates', '--rate', '5'), await testCompany(), await testDeps());
    expect(result).toMatchObject({ isKept: true, perSecond: 5 });
    expect(result.runs.map(({ workers }) => workers)).toEqual([1, 3, 8]);
    expect(renderRates(result)).toMatch(/\n\| calls in 30 s +\| +1\d\d \|/);
  });
});
