import { Problem } from '@callout/domain/problem';
import { type LongList, watchLongLists } from './long-lists.ts';

/** Deeper than any valid body: a filter with all groups has some twenty levels. */
export const MAX_DEPTH = 64;
/**
 * The most names of an object, and items of a list. No list of the API may be longer than 1,000, and no entity has
 * nearly as many fields. Each name of a large object costs the parser and every reader a microsecond: a body of unknown
 * names would occupy the process for seconds.
 */
export const MAX_MEMBERS = 2_000;
/** Every body may have so many values, with any limit in bytes. */
const LEAST_MAX_VALUES = 10_000;
/**
 * A body of the largest size with values of 8 bytes has more values than any valid body: a user-defined field like
 * `{"name":"seats","value":1},` counts as three and is among the shortest.
 */
export const LEAST_BYTES_PER_VALUE = 8;

const [QUOTE, BACKSLASH, COMMA, ANY_OPENING, ANY_CLOSING, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x30, 0x39];
/** The bit in which `[` and `{` differ, and `]` and `}`. */
const BRACE_BIT = 0x20;

/** A 64-bit float represents every number with as many digits. */
const MOST_EXACT_DIGITS = 15;
const MOST_LONG_NUMBERS = 1_000;
/** By byte: 1 for what a number can have. */
const isNumeric = Uint8Array.from({ length: 256 }, (_, byte) =>
  '0123456789.eE+-'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

/**
 * Estimates the result of parsing a body from its bytes: two brackets become an object of some sixty bytes, and a body
 * of brackets would need fifty times its size.
 * @param maxBytes the allowed length of the body.
 * @param longNumbers receives where unquoted numbers begin whose digits a 64-bit float may not hold.
 * @param lists receives the lists whose items are to be parsed in pieces.
 * @returns the number of values, apart from the members of empty lists and objects.
 * @throws Problem (400) when the body is nested too deep, has more values than the length allows, or more names or
 * items in a place than any valid body: at the first of them, without reading on.
 */
export function countJsonValues(
  bytes: Buffer,
  maxBytes: number,
  longNumbers: number[] = [],
  lists: LongList[] = [],
): number {
  const maxValues = Math.max(LEAST_MAX_VALUES, Math.floor(maxBytes / LEAST_BYTES_PER_VALUE));
  const end = bytes.length;
  let depth = 0;
  let values = 1;
  /** The commas of the open object or list at each depth: one fewer than the members. */
  const commas = new Uint32Array(MAX_DEPTH + 1);
  const watch = watchLongLists(lists);
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at + 1, end);
    else if (byte === COMMA) {
      values += 1;
      const before = commas[depth] ?? 0;
      if (before + 2 > MAX_MEMBERS) throw refusal('tooLarge', tooManyMembers);
      commas[depth] = before + 1;
      watch.separates(depth, at, values);
    } else if (byte <= NINE && byte >= ZERO) {
      const from = at;
      at = endOfNumber(bytes, from) - 1;
      if (at - from >= MOST_EXACT_DIGITS && longNumbers.length < MOST_LONG_NUMBERS) longNumbers.push(from);
    } else if ((byte | BRACE_BIT) === ANY_OPENING) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw refusal('tooDeep', `The body must be nested ${MAX_DEPTH} levels deep at most.`);
      commas[depth] = 0;
      watch.opens(byte, depth, at, values);
    } else if ((byte | BRACE_BIT) === ANY_CLOSING) {
      watch.closes(depth, at, values);
      depth -= 1;
    }
  }
  if (values > maxValues) throw refusal('tooLarge', `The body must have ${maxValues} values at most.`);
  watch.end(values);
  return values;
}

const tooManyMembers = `An object or list of the body must have ${MAX_MEMBERS} names or items at most.`;

/** The index after the number that begins at `from`. */
export function endOfNumber(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (isNumeric[bytes[at] as number] === 1) at += 1;
  return at;
}

/** The index of the quote that ends a text, or the end of a body without such a quote. */
export function endOfText(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function refusal(code: 'tooDeep' | 'tooLarge', message: string): Problem {
  return new Problem('invalid', [{ code, message }]);
}
