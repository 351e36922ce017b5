import { describe, expect, it } from '@jest/globals';
import { groupByCause } from './by-cause.ts';

const row = (id: string, calloutID?: string) => ({
  id,
  waitsFor: calloutID === undefined ? null : { cause: { calloutID } },
});
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).join('');

describe('rows of callouts', () => {
  const rows = [row('a', 'x'), row('b'), row('c', 'x'), row('d', 'y'), row('e', 'x'), row('x')];

  it('that wait for the same callout are one, wherever they are', () => {
    const { shown, groupOf } = groupByCause(rows, () => false);
    expect(idsOf(shown)).toBe('abdx');
    expect(shown.map((one) => idsOf(groupOf(one)))).toEqual(['ace', 'b', 'd', 'x']);
  });

  it('are shown each where a person opens the group', () => {
    const { shown, groupOf } = groupByCause(rows, (calloutID) => calloutID === 'x');
    expect(shown).toEqual(rows);
    expect(rows.map((one) => groupOf(one).length)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
