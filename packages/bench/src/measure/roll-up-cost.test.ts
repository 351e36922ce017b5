import { describe, expect, it } from '@jest/globals';
import { rollUpInWords } from './roll-up-cost.ts';

describe('rollUpInWords', () => {
  it('tells what counting three times adds to a callout', () => {
    const said = rollUpInWords({ attempts: 10_000, cpuS: 0.01 }, 0.5);
    expect(said).toContain('3.0 µs for each callout');
    expect(said).toContain('0.60 %');
  });

  it('says so where nothing can be measured', () => {
    expect(rollUpInWords({ attempts: 10, cpuS: undefined }, 0.5)).toContain('cannot be measured');
  });
});
