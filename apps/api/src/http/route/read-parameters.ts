import { Problem, type ProblemDetail } from '@callout/domain/problem';
import { canonicalInstant } from '@callout/domain/values/instant';
import { toWireValue } from '@callout/domain/values/values';

// Readers of query strings and small bodies. Each adds errors to `problems`, and the caller gets all errors at once.

/** Runs a reader, and refuses all errors at once. */
export function judged<T>(read: (problems: ProblemDetail[]) => T): T {
  const problems: ProblemDetail[] = [];
  const result = read(problems);
  if (problems.length > 0) throw Problem.invalid(problems);
  return result;
}

/** Parameters under their names as the API spells them. */
export function canonical(
  query: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(names.map((name) => [name, query[name.toLowerCase()]]));
}

/** The items of a comma-separated parameter; undefined stays undefined. */
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((choice) => choice.trim());
}

/** A period of time, from `since` on and before `until`. */
export function readPeriod(
  texts: Readonly<Record<string, unknown>>,
  problems: ProblemDetail[],
): { since: Date | null; until: Date | null } {
  const since = readInstant(texts['since'], 'since', problems);
  const until = readInstant(texts['until'], 'until', problems);
  if (since !== null && until !== null && since >= until) refuse(problems, 'until', 'must be later than since');
  return { since, until };
}

const fraction = /[.,](\d{1,3})/;
/** `+02:00` in an address arrives with a blank. */
const lostPlus = / \d\d:?\d\d$/;

/** An instant to the millisecond; null when absent. */
export function readInstant(input: unknown, key: string, problems: ProblemDetail[]): Date | null {
  if (input === undefined || input === null) return null;
  const instant = typeof input === 'string' ? instantOf(input) : undefined;
  if (instant !== undefined) return instant;
  const hint = typeof input === 'string' && lostPlus.test(input) ? ' (a + in a query string is %2B)' : '';
  refuse(problems, key, `must be a date and time such as 2025-09-15T15:10:00Z${hint}`);
  return null;
}

function instantOf(text: string): Date | undefined {
  const wire = canonicalInstant(text);
  if (wire === undefined) return undefined;
  const [, digits = ''] = fraction.exec(text) ?? [];
  return new Date(Date.parse(wire) + Number(digits.padEnd(3, '0')));
}

/** A whole number, quoted or not; null when absent. */
export function readWhole(
  input: unknown,
  key: string,
  min: number,
  problems: ProblemDetail[],
  max = Number.MAX_SAFE_INTEGER,
): number | null {
  if (input === undefined || input === null) return null;
  const wire = toWireValue({ name: key, dataType: 'long', length: 0 }, input);
  const value = wire.ok ? Number(wire.value) : -1;
  if (value >= min && value <= max) return value;
  refuse(problems, key, `must be an integer from ${min} to ${max}`);
  return null;
}

/** Some of the choices, in any case; null when absent. */
export function readChoices<Choice extends string>(
  input: unknown,
  key: string,
  choices: readonly Choice[],
  problems: ProblemDetail[],
): Choice[] | null {
  if (input === undefined || input === null) return null;
  const choiceList =
    Array.isArray(input) && input.length > 0 ? input.map((texts) => choiceOf(texts, choices)) : [undefined];
  if (!choiceList.includes(undefined)) return [...new Set(choiceList.filter((choice) => choice !== undefined))];
  refuse(problems, key, `must be one or more of ${choices.join(', ')}`);
  return null;
}

function choiceOf<Choice extends string>(texts: unknown, choices: readonly Choice[]): Choice | undefined {
  return typeof texts === 'string'
    ? choices.find((choice) => choice.toLowerCase() === texts.trim().toLowerCase())
    : undefined;
}

/** Adds a problem with a key; `what` continues a sentence after the key. */
export function refuse(problems: ProblemDetail[], key: string, what: string): void {
  problems.push({ code: 'invalid', field: key, message: `${key} ${what}` });
}
