import { describe, expect, it } from '@jest/globals';
import { backoffMs, pause, readRetryAfter } from './backoff.ts';

describe('backoffMs', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [5, 8_000, 16_000],
    [6, 15_000, 30_000],
    [5_000, 15_000, 30_000],
  ])('waits twice as long after each failure, up to 30 s, spread by half: failure %d', (failures, least, most) => {
    expect([backoffMs(failures, null, 0), backoffMs(failures, null, 1)]).toEqual([least, most]);
  });

  it('never cuts short what the API asks for, and waits a second at least', () => {
    expect([backoffMs(1, 90_000, 0), backoffMs(9, 90_000, 1)]).toEqual([90_000, 99_000]);
    expect([backoffMs(1, 0, 0), backoffMs(1, 0, 1)]).toEqual([1_000, 1_100]);
  });
});

describe('readRetryAfter', () => {
  const now = Date.parse('2026-01-15T09:30:00Z');
  it.each([
    [null, null],
    ['0', 0],
    ['120', 120_000],
    ['Thu, 15 Jan 2026 09:31:00 GMT', 60_000],
    ['Thu, 15 Jan 2026 09:29:00 GMT', 0],
    ['soon', null],
  ])('reads %j as %p ms', (header, milliseconds) => {
    expect(readRetryAfter(header, now)).toBe(milliseconds);
  });
});

describe('pause', () => {
  it('ends with its signal, also one that was aborted before', async () => {
    const abort = new AbortController();
    const paused = pause(3_600_000, abort.signal);
    abort.abort();
    await expect(paused).resolves.toBeUndefined();
    await expect(pause(3_600_000, abort.signal)).resolves.toBeUndefined();
  });
});
