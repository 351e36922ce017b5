import { describe, expect, it } from '@jest/globals';
import { grownStatements, type StatementCost } from './statement-costs.ts';

const cost = (text: string, blocks: number, execMs: number, calls = 10): StatementCost => ({
  ...{ text, calls, planMs: 0, execMs, blocks },
});

describe('grownStatements', () => {
  it('names what costs more blocks or time each time, and not a level of an index more', () => {
    const before = [cost('scan', 10, 0.1), cost('slow', 10, 0.1), cost('deeper', 10, 0.1), cost('rare', 1, 1, 1)];
    const after = [cost('scan', 100, 0.1), cost('slow', 10, 2), cost('deeper', 14, 0.2), cost('rare', 999, 9, 1)];
    expect(grownStatements(before, [...after, cost('new', 999, 9)]).map(({ text }) => text)).toEqual(['slow', 'scan']);
  });
});
