import { describe, expect, it } from '@jest/globals';
import { counted, durationInWords, momentInWords, numberInWords, urlInWords } from './words.rules.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

describe('texts for mails', () => {
  it.each([
    [0, '0 seconds'],
    [400, '0 seconds'],
    [1 * second, '1 second'],
    [59.4 * second, '59 seconds'],
    [59.6 * second, '1 minute'],
    [minute, '1 minute'],
    [hour - second, '1 hour'],
    [hour + minute, '1 hour 1 minute'],
    [day, '1 day'],
    [2 * day + 3 * hour + 30 * minute, '2 days 3 hours'],
    [-5, '0 seconds'],
  ])('write a duration of %d ms as %s', (ms, words) => {
    expect(durationInWords(ms)).toBe(words);
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [1_234_567, '1,234,567'],
  ])('write the number %d as %s', (number, words) => {
    expect(numberInWords(number)).toBe(words);
  });

  it('use the singular and the plural', () => {
    expect([counted(0, 'time'), counted(1, 'time'), counted(1_500, 'time')]).toEqual([
      '0 times',
      '1 time',
      '1,500 times',
    ]);
  });

  it('write a moment with day, month and time zone', () => {
    expect(momentInWords(new Date('2026-01-02T03:04:59.999Z'))).toBe('2 January 2026, 03:04 UTC');
  });

  it('omit the query of an address, which may be secret', () => {
    expect(urlInWords('https://example.com:8443/in?token=x')).toBe('https://example.com:8443/in?…');
    expect(urlInWords('https://example.com/in')).toBe('https://example.com/in');
  });
});
