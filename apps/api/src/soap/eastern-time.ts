const ZONE = 'America/New_York';
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?$/u;
const DAY_MS = 86_400_000;
/** The latest instant of the REST API; the last day that a Date can represent has no end. */
const LAST_MS = Date.parse('9999-12-31T23:59:59Z');

const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: ZONE,
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/**
 * A date and time without a zone in UTC: clients of the API convert to US Eastern time before a query. A text with a
 * zone, or no date, stays unchanged. A time that exists twice, when clocks go back, is the earlier one.
 */
export function easternToUtc(text: string): string {
  const wall = wallClock(text);
  return wall === undefined ? text : new Date(instantOf(wall)).toISOString();
}

/** The beginning and the end of a day in US Eastern time; undefined for an invalid date. */
export function easternDay(text: string): { readonly start: string; readonly end: string } | undefined {
  const wall = wallClock(text) ?? wallOfInstant(text);
  if (wall === undefined) return undefined;
  const midnight = Math.floor(wall / DAY_MS) * DAY_MS;
  const iso = (at: number) => new Date(instantOf(at)).toISOString();
  return { start: iso(midnight), end: iso(midnight + DAY_MS) };
}

/** The time of a clock, as if it were UTC, in milliseconds. */
function wallClock(text: string): number | undefined {
  const [, year, month, day, hour, minute, second] = LOCAL.exec(text.trim()) ?? [];
  if (year === undefined) return undefined;
  const [, ...parts] = [year, month, day, hour, minute, second].map((part) => Number(part ?? 0));
  const [monthNumber = 1, dayNumber = 1, ...time] = parts;
  const at = Date.UTC(Number(year), monthNumber - 1, dayNumber, ...(time as [number, number, number]));
  // An invalid day, like the 30th of February, is refused by the REST API. Date.UTC reads the year 26 as 1926.
  return Number(year) >= 100 && new Date(at).getUTCDate() === dayNumber ? at : undefined;
}

function wallOfInstant(text: string): number | undefined {
  const at = Date.parse(text);
  return Math.abs(at) <= LAST_MS ? at + offsetAt(at) : undefined;
}

/** The instant at which a clock in US Eastern time shows a time. */
function instantOf(wall: number): number {
  return wall - offsetAt(wall - offsetAt(wall));
}

/** How far a clock in US Eastern time is ahead of UTC, in milliseconds. */
function offsetAt(at: number): number {
  const parts = new Map(clock.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shows = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shows - Math.floor(at / 1000) * 1000;
}
