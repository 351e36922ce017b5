import { describe, expect, it } from '@jest/globals';
import { moment } from './moment.ts';

const now = new Date(2026, 2, 1, 12, 30);

describe('a moment on the command line', () => {
  it.each([
    ['1h', new Date(now.getTime() - 3_600_000)],
    ['90m ago', new Date(now.getTime() - 5_400_000)],
    ['2D', new Date(now.getTime() - 172_800_000)],
    ['now', now],
    ['today', new Date(2026, 2, 1)],
    ['yesterday', new Date(2026, 1, 28)],
    ['2026-01-15', new Date(2026, 0, 15)],
    ['2026-01-15T09:00:00Z', new Date('2026-01-15T09:00:00Z')],
  ])('is %s', (text, expected) => {
    expect(moment(text, now)).toEqual(expected);
  });

  it.each(['', 'soon', '5', '1y', '2026-02-30', '2026-13-01'])('is never %j', (text) => {
    expect(() => moment(text, now)).toThrow('It must be a time: 1h or 2d ago');
  });
});
