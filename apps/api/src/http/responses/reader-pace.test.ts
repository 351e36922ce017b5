import { describe, expect, it } from '@jest/globals';
import { readerPace } from './reader-pace.ts';

const SECOND_OF_READING = 65_536;

describe('the pace of a reader', () => {
  it.each([
    [0, 120_000],
    [0.5, 120_000],
    [0.75, 62_500],
    [1, 5_000],
    [1.7, 5_000],
  ])('with %d of the capacity in use is %i ms for one who reads nothing', (fill, patienceMs) => {
    const pace = readerPace(1000);
    expect(pace.isTooSlow(fill, 1000 + patienceMs)).toBe(false);
    expect(pace.isTooSlow(fill, 1001 + patienceMs)).toBe(true);
  });

  it('does not count bytes in the buffers of the system as time ahead', () => {
    const pace = readerPace(0);
    pace.took(100 * SECOND_OF_READING, 10);
    expect(pace.isTooSlow(1, 5_010)).toBe(false);
    expect(pace.isTooSlow(1, 5_011)).toBe(true);
  });

  it('lasts for one who reads 64 KiB a second, to two minutes, and not for one who drips', () => {
    const [sound, dripping] = [readerPace(0), readerPace(0)];
    for (let second = 1; second <= 120; second += 1) {
      sound.took(SECOND_OF_READING, second * 1000);
      dripping.took(SECOND_OF_READING / 2, second * 1000);
      expect(sound.isTooSlow(1, second * 1000)).toBe(false);
      expect(dripping.isTooSlow(1, second * 1000)).toBe(second > 10);
    }
    expect(sound.isTooSlow(0, 120_001)).toBe(true);
  });
});
