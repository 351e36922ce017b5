import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { readRetryAfter } from './retry-after.ts';

const now = new Date('2025-09-15T15:10:00.250Z');
const waitMs = (header: string): number | undefined => {
  const at = readRetryAfter(header, now);
  return at && at.getTime() - now.getTime();
};
const hourMs = 3_600_000;

describe('readRetryAfter', () => {
  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['1', 1_000],
    ['007', 7_000],
    ['86400', 24 * hourMs],
  ])('uses "%s" seconds exactly', (header, expected) => {
    expect(waitMs(header)).toBe(expected);
  });

  it.each(['Mon, 15 Sep 2025 16:10:00 GMT', 'Monday, 15-Sep-25 16:10:00 GMT', 'Mon Sep 15 16:10:00 2025'])(
    'keeps the date %s exactly',
    (header) => {
      expect(readRetryAfter(header, now)).toEqual(new Date('2025-09-15T16:10:00Z'));
    },
  );

  it('reads a day of one digit in the oldest spelling', () => {
    const at = readRetryAfter('Thu Oct  2 09:00:00 2025', new Date('2025-10-02T08:00:00Z'));
    expect(at).toEqual(new Date('2025-10-02T09:00:00Z'));
  });

  it.each(['0', 'Mon, 15 Sep 2025 15:10:00 GMT', 'Wed, 01 Jan 2020 00:00:00 GMT', 'Saturday, 01-Jan-94 00:00:00 GMT'])(
    'waits at least a second: %s',
    (header) => {
      expect(waitMs(header)).toBe(1_000);
    },
  );

  it.each(['86401', '9'.repeat(30), '9'.repeat(400), 'Tue, 15 Sep 2026 15:10:00 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'waits at most a day: %s',
    (header) => {
      expect(waitMs(header)).toBe(24 * hourMs);
    },
  );

  it.each([
    '',
    ' ',
    '-5',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    'soon',
    '5 seconds',
    '120, 240',
    '2025-09-15T16:10:00Z',
    'Mon, 15 Foo 2025 16:10:00 GMT',
    'Mon, 32 Sep 2025 16:10:00 GMT',
    'Mon, 15 Sep 2025 25:10:00 GMT',
    'Mon, 15 Sep 2025 16:10:00',
    'Mon, 15 Sep 2025 16:10:00 CET',
    '１２０',
  ])('ignores "%s"', (header) => {
    expect(readRetryAfter(header, now)).toBeUndefined();
  });

  it('is always between a second and a day, whatever the header', () => {
    const headers = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const wait = waitMs(header) ?? 1_000;
        expect(wait).toBeGreaterThanOrEqual(1_000);
        expect(wait).toBeLessThanOrEqual(24 * hourMs);
      }),
    );
  });
});
