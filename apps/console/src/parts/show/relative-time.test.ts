import { describe, expect, it } from '@jest/globals';
import { relativeTime } from './relative-time.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const s = 1_000;

describe('a relative time', () => {
  it.each([
    [0, 'now'],
    [-9 * s, 'now'],
    [-14 * s, '10s ago'],
    [-59 * s, '50s ago'],
    [-60 * s, '1m ago'],
    [-3_599 * s, '59m ago'],
    [7_200 * s, 'in 2h'],
    [-86_400 * s * 2, '2d ago'],
    [-86_400 * s * 400, '1y ago'],
  ])('is short, and does not count single seconds: %i ms', (distance, words) => {
    expect(relativeTime(now + distance, now, 'en')).toBe(words);
  });

  it('is in the words of a language', () => {
    expect(relativeTime(now - 120 * s, now, 'de')).toContain('vor');
  });
});
