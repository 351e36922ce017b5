const minMs = 1_000;
const maxMs = 24 * 60 * 60 * 1_000;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** The three spellings of a date that HTTP recipients must understand (RFC 9110, 5.6.7), first the spelling in use. */
const datePatterns = [
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/u,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/u,
];

/**
 * The time requested by a `Retry-After` header (whole seconds or an HTTP date): at least 1 s and at most 24 h
 * after `finishedAt`, the end of the attempt. undefined when the header is neither, negative numbers included.
 */
export function readRetryAfter(header: string, finishedAt: Date): Date | undefined {
  const text = header.trim();
  const askedMs = /^\d+$/u.test(text)
    ? finishedAt.getTime() + Number(text) * 1_000
    : readHttpDate(text, finishedAt.getUTCFullYear());
  return Number.isNaN(askedMs) ? undefined : waitWithin(askedMs, finishedAt);
}

/** A requested time, but at least 1 s and at most 24 h after the end of the attempt. */
export function waitWithin(askedMs: number, finishedAt: Date): Date {
  const earliestMs = finishedAt.getTime() + minMs;
  const latestMs = finishedAt.getTime() + maxMs;
  return new Date(Math.min(Math.max(askedMs, earliestMs), latestMs));
}

/** Milliseconds since 1970, or NaN. */
function readHttpDate(text: string, thisYear: number): number {
  const parts = datePatterns.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);
  if (parts === undefined) return Number.NaN;
  const month = months.findIndex((name) => name === parts['month']) + 1;
  const year = fullYear(parts['year'] ?? '', thisYear);
  const day = (parts['day'] ?? '').trim().padStart(2, '0');
  return Date.parse(`${year}-${String(month).padStart(2, '0')}-${day}T${parts['time'] ?? ''}Z`);
}

/** A two-digit year that seems more than 50 years ahead is in the past (RFC 9110, 5.6.7). */
function fullYear(digits: string, thisYear: number): string {
  if (digits.length === 4) return digits;
  const inThisCentury = thisYear - (thisYear % 100) + Number(digits);
  return String(inThisCentury > thisYear + 50 ? inThisCentury - 100 : inThisCentury);
}
