import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalInstant, toWireInstant } from './instant.ts';

describe('canonicalInstant', () => {
  it.each([
    ['2025-09-15T15:10:00Z', '2025-09-15T15:10:00Z'],
    ['2025-09-15T15:10:00', '2025-09-15T15:10:00Z'],
    ['2025-09-15 15:10:00', '2025-09-15T15:10:00Z'],
    ['2025-09-15t15:10:00z', '2025-09-15T15:10:00Z'],
    ['2025-09-15T15:10', '2025-09-15T15:10:00Z'],
    ['2025-09-15T15:10Z', '2025-09-15T15:10:00Z'],
    ['2025-09-15', '2025-09-15T00:00:00Z'],
    ['2025-09-15T15:10:59.999Z', '2025-09-15T15:10:59Z'],
    ['2025-09-15T15:10:59.9999999', '2025-09-15T15:10:59Z'],
    ['2025-09-15T15:10:59,5+00:00', '2025-09-15T15:10:59Z'],
    ['2025-09-15T17:10:00+02:00', '2025-09-15T15:10:00Z'],
    ['2025-09-15T17:10:00+0200', '2025-09-15T15:10:00Z'],
    ['2025-09-15T17:10:00+02', '2025-09-15T15:10:00Z'],
    ['2025-09-15T17:10+02:00', '2025-09-15T15:10:00Z'],
    ['2025-12-31T20:00:00-05:30', '2026-01-01T01:30:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00Z'],
    ['0099-12-31T23:00:00-01:00', '0100-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59.9999999', '9999-12-31T23:59:59Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
    ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00Z'],
    ['2017-01-01T08:59:60+09:00', '2017-01-01T00:00:00Z'],
    ['2015-06-30T18:59:60-0500', '2015-07-01T00:00:00Z'],
  ])('reads %s as %s', (text, utc) => {
    expect(canonicalInstant(text)).toBe(utc);
  });

  it.each([
    '',
    'today',
    '2025',
    '2025-9-15',
    '2025-02-29',
    '1900-02-29',
    '2025-04-31',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '0000-01-01',
    '2025/09/15',
    '2025-09-15T',
    '2025-09-15T15',
    '2025-09-15T24:00:00Z',
    '2025-09-15T15:60:00Z',
    '2025-09-15T15:10:60Z',
    '2016-12-31T23:59:61Z',
    '2016-12-31T23:59:60+01:00',
    '9999-12-31T23:59:60Z',
    '2025-09-15T15:10:00.Z',
    '2025-09-15T15:10:00 Z',
    '2025-09-15T15:10:00ZZ',
    '2025-09-15T15:10:00+2',
    '2025-09-15T15:10:00+02:',
    '2025-09-15T15:10:00+02:0',
    '2025-09-15T15:10:00+02:000',
    '2025-09-15T15:10:00+24:00',
    '2025-09-15T15:10:00+02:60',
    '2025-09-15X15:10:00Z',
    '+002025-09-15T15:10:00Z',
    '15.09.2025',
    ' 2025-09-15',
    '2025-09-15 ',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-00:01',
    '1757949000',
  ])('refuses "%s"', (text) => {
    expect(canonicalInstant(text)).toBeUndefined();
  });

  it('writes one instant in one way, whatever the offset and the fraction', () => {
    const instants = fc.date({
      min: new Date('0001-01-03T00:00:00Z'),
      max: new Date('9999-12-29T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offsetMinutes) => {
        const cutMs = Math.floor(instant.getTime() / 1000) * 1000;
        const local = new Date(instant.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
        const hours = String(Math.floor(Math.abs(offsetMinutes) / 60)).padStart(2, '0');
        const minutes = String(Math.abs(offsetMinutes) % 60).padStart(2, '0');
        const wire = canonicalInstant(`${local}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`);
        expect(wire).toBe(toWireInstant(new Date(cutMs)));
        expect(Date.parse(wire ?? '')).toBe(cutMs);
        expect(canonicalInstant(wire ?? '')).toBe(wire);
      }),
    );
  });

  it('agrees with the calendar about every day of a leap year and a common one', () => {
    for (const year of [1900, 2000, 2023, 2024]) {
      for (let month = 1; month <= 12; month += 1) {
        for (let day = 1; day <= 31; day += 1) {
          const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
          expect([text, canonicalInstant(text) !== undefined]).toEqual([text, exists]);
        }
      }
    }
  });
});
