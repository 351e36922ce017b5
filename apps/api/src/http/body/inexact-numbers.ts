import type { ProblemDetail } from '@callout/domain/problem';
import { canonicalDecimal } from '@callout/domain/values/decimal';
import { endOfNumber } from './json-shape.ts';
import { mostReported, walkJson } from './walk-json.ts';

const longestShown = 40;

/**
 * The unquoted numbers of a body that `JSON.parse` rounds without a word, since a 64-bit float does not hold their
 * digits, like integers beyond 2^53.
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
  const paths: string[] = [];
  walkJson(bytes, {
    onByte(at, path) {
      if (at === inexact[paths.length]?.start) paths.push(path());
      return paths.length < inexact.length;
    },
  });
  return inexact.map(({ text }, nth) => warningOf(paths[nth] ?? '', text));
}

function warningOf(field: string, text: string): ProblemDetail {
  const shownText = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
  const message = `${field === '' ? 'The body' : field} has more digits than a number in JSON keeps, and ${shownText} is read as ${Number(text)}: put it in quotes`;
  return { code: 'inexact', ...(field !== '' && { field }), message };
}

function isExact(text: string): boolean {
  const shownText = canonicalDecimal(text);
  const kept = canonicalDecimal(String(Number(text)));
  return shownText.ok && kept.ok && shownText.value === kept.value;
}
