const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const minuteMs = 60_000;
const firstInstantMs = Date.parse('0001-01-01T00:00:00Z');
const lastInstant = '9999-12-31T23:59:59Z';
const lastInstantMs = Date.parse(lastInstant);

/** An instant in wire form: UTC, truncated to seconds. */
export function toWireInstant(instant: Date): string {
  return `${instant.toISOString().slice(0, 19)}Z`;
}

/**
 * The wire form of an ISO 8601 date and time, or undefined when `text` is invalid. Without an offset the time is UTC,
 * without a time the instant is midnight; fractions of a second are cut off, and a leap second is the following second.
 * Years 1 to 9999 (1 is the empty date of some products).
 */
export function canonicalInstant(text: string): string | undefined {
  if (!isDate(text)) return undefined;
  if (text.length === 10) return `${text}T00:00:00Z`;
  const separator = text[10];
  if (separator !== 'T' && separator !== 't' && separator !== ' ') return undefined;

  const hasSeconds = text[16] === ':';
  if (!isUpTo(23, text, 11) || text[13] !== ':' || !isUpTo(59, text, 14)) return undefined;
  const isLeapSecond = hasSeconds && text[17] === '6' && text[18] === '0';
  if (hasSeconds && !isLeapSecond && !isUpTo(59, text, 17)) return undefined;
  const zoneAt = hasSeconds ? endOfFraction(text, 19) : 16;
  const offsetMinutes = readOffset(text, zoneAt);
  if (offsetMinutes === undefined) return undefined;

  if (isLeapSecond) return afterLeapSecond(text, offsetMinutes);
  // The spelling that the service itself and nearly all callers send: nothing to convert.
  if (text.length === 20 && hasSeconds && separator === 'T' && text[19] === 'Z') return text;
  const utc = `${text.slice(0, 10)}T${text.slice(11, 16)}:${hasSeconds ? text.slice(17, 19) : '00'}Z`;
  return offsetMinutes === 0 ? utc : shift(utc, -offsetMinutes);
}

/**
 * Instants are counted without leap seconds, as in POSIX: a leap second, the last of a UTC day, is the following
 * second.
 */
function afterLeapSecond(text: string, offsetMinutes: number): string | undefined {
  const before = shift(`${text.slice(0, 10)}T${text.slice(11, 16)}:59Z`, -offsetMinutes);
  if (before?.slice(11) !== '23:59:59Z' || before === lastInstant) return undefined;
  return toWireInstant(new Date(Date.parse(before) + 1_000));
}

/** The number written in `count` digits at `at`; NaN when one of them is no digit. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index += 1) {
    const digit = text.charCodeAt(index) - 48;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

const isUpTo = (max: number, text: string, at: number): boolean => digitsAt(text, at, 2) <= max;

function isDate(text: string): boolean {
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  if (!(year >= 1 && month >= 1 && day >= 1) || text[4] !== '-' || text[7] !== '-') return false;
  const isLeapDay = month === 2 && day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeapDay || day <= (daysInMonth[month - 1] ?? 0);
}

/** The index after a fraction of a second at `at`; `at` itself when there is none. */
function endOfFraction(text: string, at: number): number {
  if (text[at] !== '.' && text[at] !== ',') return at;
  let end = at + 1;
  while (digitsAt(text, end, 1) >= 0) end += 1;
  return end === at + 1 ? at : end;
}

/** Minutes east of UTC from `Z`, `+hh`, `+hhmm`, `+hh:mm` or nothing, which must be the rest of `text`. */
function readOffset(text: string, at: number): number | undefined {
  const sign = text[at];
  if (sign === undefined) return 0;
  if (sign === 'Z' || sign === 'z') return text.length === at + 1 ? 0 : undefined;
  if (sign !== '+' && sign !== '-') return undefined;
  const hours = digitsAt(text, at + 1, 2);
  const minutesAt = text[at + 3] === ':' ? at + 4 : at + 3;
  const minutes = text.length === at + 3 ? 0 : digitsAt(text, minutesAt, 2);
  if (!(hours <= 23 && minutes <= 59) || (text.length !== at + 3 && text.length !== minutesAt + 2)) return undefined;
  return (sign === '-' ? -1 : 1) * (hours * 60 + minutes);
}

function shift(utc: string, minutes: number): string | undefined {
  const instantMs = Date.parse(utc) + minutes * minuteMs;
  return instantMs >= firstInstantMs && instantMs <= lastInstantMs ? toWireInstant(new Date(instantMs)) : undefined;
}
