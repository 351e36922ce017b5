import { describe, expect, it } from '@jest/globals';
import { failureClasses, failureCountsOf } from './failure-classes.rules.ts';

describe('the classes of failed attempts', () => {
  it('have the order in which they are stored', () => {
    expect(failureClasses).toEqual(['status3xx', 'status4xx', 'status5xx', 'timeout', 'connection']);
  });

  it('add up to all failed attempts, with attempts without a class as the rest', () => {
    expect(failureCountsOf([1, 2, 3, 4, 5], 17)).toEqual({
      status3xx: 1,
      status4xx: 2,
      status5xx: 3,
      timeout: 4,
      connection: 5,
      other: 2,
    });
  });

  it('are all unknown in counts of an earlier release', () => {
    expect(failureCountsOf([], 3)).toMatchObject({ status5xx: 0, connection: 0, other: 3 });
  });
});
