import { expect, it } from '@jest/globals';
import { bucketsOf, bucketValues, observeIn } from './buckets.ts';

const bounds = [0.1, 1];

it('counts a value in each bucket whose bound is not below it', () => {
  const buckets = bucketsOf(bounds);
  for (const value of [0, 0.1, 0.5, 7]) observeIn(buckets, bounds, value, undefined);
  const lines = [...bucketValues('took', bounds, { route: '/a' }, buckets)];
  expect(lines.map(({ metricName, labels, value }) => [metricName, labels['le'], value])).toEqual([
    ['took_bucket', 0.1, 2],
    ['took_bucket', 1, 3],
    ['took_bucket', '+Inf', 4],
    ['took_sum', undefined, 7.6],
    ['took_count', undefined, 4],
  ]);
});

it('refuses what is no number, and counts on', () => {
  const buckets = bucketsOf(bounds);
  expect(() => observeIn(buckets, bounds, Number.NaN, undefined)).toThrow(TypeError);
  expect(buckets).toMatchObject({ sum: 0, counts: [0, 0, 0] });
});

it('has the trace of the last value of a bucket that has one', () => {
  const buckets = bucketsOf(bounds);
  observeIn(buckets, bounds, 0.2, 'first');
  observeIn(buckets, bounds, 0.3, 'second');
  observeIn(buckets, bounds, 0.4, undefined);
  expect(buckets.exemplars[1]).toMatchObject({ labelSet: { trace_id: 'second' }, value: 0.3 });
});
