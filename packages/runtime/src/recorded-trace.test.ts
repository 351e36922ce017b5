import { expect, it } from '@jest/globals';
import { recordedTrace } from './metrics/observed.ts';

const span = '00f067aa0ba902b7';
const [first, second] = ['a'.repeat(32), 'b'.repeat(32)];

it('is the first one that is recorded', () => {
  const unsampled = `00-${'c'.repeat(32)}-${span}-00`;
  expect(recordedTrace([null, undefined, unsampled, `00-${first}-${span}-01`, `00-${second}-${span}-01`])).toBe(first);
});

it('is none where nothing is recorded', () => {
  expect(recordedTrace([])).toBeUndefined();
  expect(recordedTrace([null, `00-${first}-${span}-00`])).toBeUndefined();
});
