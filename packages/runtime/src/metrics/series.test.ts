import { expect, it } from '@jest/globals';
import { createSeries } from './series.ts';

it('keeps one value for each combination of labels, and refuses too few or too many', () => {
  const series = createSeries(['method', 'status'], () => ({ count: 0 }));
  for (const status of ['200', '404', '200']) series.of(['GET', status]).count += 1;
  series.of(['200', 'GET']).count += 1;
  expect([...series]).toEqual([
    [{ method: 'GET', status: '200' }, { count: 2 }],
    [{ method: 'GET', status: '404' }, { count: 1 }],
    [{ method: '200', status: 'GET' }, { count: 1 }],
  ]);
  expect(() => series.of(['GET'])).toThrow('labels are method, status');
  expect(() => series.of(['GET', '200', 'more'])).toThrow('labels are method, status');
});
