import type { ProblemDetail } from '@callout/domain/problem';
import { canonicalDecimal } from '@callout/domain/values/decimal';
import { endOfNumber, endOfText } from './json-shape.ts';

/** Further numbers are not judged: the first few warnings are enough. */
const mostReported = 10;
const longestShown = 40;

const [QUOTE, COMMA, ANY_OPENING, ANY_CLOSING, BRACKET] = [0x22, 0x2c, 0x7b, 0x7d, 0x5b];
const BRACE_BIT = 0x20;

/**
 * The unquoted numbers of a body that `JSON.parse` rounds without a word, since a 64-bit float does not hold their
 * digits, such as integers beyond 2^53.
 * @param bytes a body that parses.
 * @param starts where the long numbers of the body begin, ascending.
 */
export function inexactNumbers(bytes: Buffer, starts: readonly number[]): ProblemDetail[] {
  const inexact: { start: number; text: string }[] = [];
  for (const start of starts) {
    const text = bytes.toString('latin1', start, endOfNumber(bytes, start));
    if (!isExact(text)) inexact.push({ start, text });
    if (inexact.length === mostReported) break;
  }
  if (inexact.length === 0) return [];
  const paths = pathsOf(
    bytes,
    inexact.map(({ start }) => start),
  );
  return inexact.map(({ text }, nth) => warningOf(paths[nth] ?? '', text));
}

function warningOf(field: string, text: string): ProblemDetail {
  const given = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  const message = `${field === '' ? 'The body' : field} has more digits than a number in JSON keeps, and ${given} is read as ${Number(text)}: put it in quotes`;
  return { code: 'inexact', ...(field !== '' && { field }), message };
}

function isExact(text: string): boolean {
  const given = canonicalDecimal(text);
  const kept = canonicalDecimal(String(Number(text)));
  return given.ok && kept.ok && given.value === kept.value;
}

/** An object or array around a place of the body: the key, or the number of the element, that leads to the place. */
interface Level {
  readonly isArray: boolean;
  isKeyNext: boolean;
  step: string | number;
}

/** The paths of values, such as `events[3].fields.assetValue`, by where the values begin, ascending. */
function pathsOf(bytes: Buffer, starts: readonly number[]): string[] {
  const paths: string[] = [];
  const levels: Level[] = [];
  for (let at = 0; paths.length < starts.length && at < bytes.length; at += 1) {
    if (at === starts[paths.length]) paths.push(pathOf(levels));
    const byte = bytes[at] as number;
    const level = levels.at(-1);
    if (byte === QUOTE) {
      const end = endOfText(bytes, at + 1, bytes.length);
      if (level?.isKeyNext === true) {
        level.step = bytes.toString('utf8', at + 1, end).slice(0, 100);
        level.isKeyNext = false;
      }
      at = end;
    } else if (byte === COMMA && level !== undefined) {
      if (level.isArray) level.step = Number(level.step) + 1;
      else level.isKeyNext = true;
    } else if ((byte | BRACE_BIT) === ANY_OPENING) {
      const isArray = byte === BRACKET;
      levels.push({ isArray, isKeyNext: !isArray, step: isArray ? 0 : '' });
    } else if ((byte | BRACE_BIT) === ANY_CLOSING) levels.pop();
  }
  return paths;
}

function pathOf(levels: readonly Level[]): string {
  const steps = levels.map(({ isArray, step }) => (isArray ? `[${step}]` : `.${step}`));
  return steps.join('').replace(/^\./u, '');
}
