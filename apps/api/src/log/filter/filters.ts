import { Problem, type ProblemDetail } from '@callout/core/errors';
import { actions, canonicalInstant, toWireValue } from '@callout/core/ingest';
import { foldKeys, knownKeys } from '@callout/core/input';
import { type CalloutFilter, calloutKinds, type CalloutRange, calloutStates, idOf } from '@callout/db/log';
import { calloutRange, maxNamedCallouts } from '../../repair/repair-schemas.ts';
import { calloutParameters } from './filter-parameters.ts';

const rangeKeys = Object.keys(calloutRange.shape);
/** The keys of the body of a request about many callouts. */
export const knownRangeKeys = knownKeys(Object.fromEntries(rangeKeys.map((key) => [key, null])));

/** What the action of a callout can be. */
const calloutActions = [...actions, 'Deactivated'] as const;

const calloutNames = Object.keys(calloutParameters.shape);

/**
 * Reads the callouts that a request about many of them means, such as `{"since","states"}`.
 * `since` is part of the range and `until` is not; both ends of the sequence are. Absent and null are no bound, and one
 * at least is needed: a body of misspelled keys alone would mean every callout.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function calloutRangeOfBody(body: unknown): CalloutRange {
  const given = foldKeys(body ?? {}, knownRangeKeys);
  return judged((problems) => {
    if (Object.values(given).every((value) => value === null)) {
      const message = `Say which callouts are meant: give at least one of ${rangeKeys.join(', ')}`;
      problems.push({ code: 'required', message });
    }
    return {
      ...readRange(given, given['states'], 'states', problems),
      recordId: readWhole(given['recordID'], 'recordID', 0, problems),
      actions: readWords(given['actions'], 'actions', actions, problems),
      ids: readIds(given['calloutIDs'], problems),
    };
  });
}

/** A range as answers show it: the keys that every range has, and of the others those that were given. */
export function rangeItem({ recordId, actions: given, ids, ...range }: CalloutRange) {
  return {
    ...range,
    ...(recordId !== null && { recordID: recordId }),
    ...(given !== null && { actions: given }),
    ...(ids !== null && { calloutIDs: ids }),
  };
}

function readIds(input: unknown, problems: ProblemDetail[]): string[] | null {
  if (input === undefined || input === null) return null;
  const given = Array.isArray(input) && input.length <= maxNamedCallouts ? input : [];
  const ids = given.flatMap((one: unknown) => (typeof one === 'string' ? (idOf(one) ?? []) : []));
  if (ids.length > 0 && ids.length === given.length) return ids;
  refuse(problems, 'calloutIDs', `must be 1 to ${maxNamedCallouts} ids of callouts`);
  return null;
}

/**
 * Reads the filters of a list of callouts from a query string, whose keys are in lower case. Several states or actions
 * are separated by commas.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function calloutFilterOf(query: Readonly<Record<string, string>>): CalloutFilter {
  return judged((problems) => ({
    ...readRange(canonical(query, calloutNames), listOf(query['state']), 'state', problems),
    recordId: readWhole(query['recordid'], 'recordID', 0, problems),
    actions: readWords(listOf(query['action']), 'action', calloutActions, problems),
    kinds: readWords(listOf(query['kind']), 'kind', calloutKinds, problems),
  }));
}

/** Runs a reader, and refuses all that it found wrong at once. */
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

/** The words of a comma-separated parameter; undefined stays so. */
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').map((word) => word.trim());
}

function readRange(
  given: Readonly<Record<string, unknown>>,
  states: unknown,
  statesKey: string,
  problems: ProblemDetail[],
): CalloutRange {
  const range = {
    ...readPeriod(given, problems),
    states: readWords(states, statesKey, calloutStates, problems),
    fromSequence: readWhole(given['fromSequence'], 'fromSequence', 0, problems),
    toSequence: readWhole(given['toSequence'], 'toSequence', 0, problems),
  };
  const { fromSequence, toSequence } = range;
  if (fromSequence !== null && toSequence !== null && fromSequence > toSequence) {
    refuse(problems, 'toSequence', `must be ${fromSequence} or more, since fromSequence is`);
  }
  return range;
}

/** A period of time, its beginning included and its end not. */
export function readPeriod(
  given: Readonly<Record<string, unknown>>,
  problems: ProblemDetail[],
): { since: Date | null; until: Date | null } {
  const since = readInstant(given['since'], 'since', problems);
  const until = readInstant(given['until'], 'until', problems);
  if (since !== null && until !== null && since >= until) refuse(problems, 'until', 'must be later than since');
  return { since, until };
}

const fraction = /[.,](\d{1,3})/;
/** What is left of `+02:00` in an address. */
const lostPlus = / \d\d:?\d\d$/;

/** An instant to the millisecond; null when it is absent. */
function readInstant(input: unknown, key: string, problems: ProblemDetail[]): Date | null {
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

/** A whole number, quoted or not; null when it is absent. */
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

/** Some of the words that there are, in any case; null when they are absent. */
export function readWords<Word extends string>(
  input: unknown,
  key: string,
  words: readonly Word[],
  problems: ProblemDetail[],
): Word[] | null {
  if (input === undefined || input === null) return null;
  const found = Array.isArray(input) && input.length > 0 ? input.map((given) => wordOf(given, words)) : [undefined];
  if (!found.includes(undefined)) return [...new Set(found.filter((word) => word !== undefined))];
  refuse(problems, key, `must be one or more of ${words.join(', ')}`);
  return null;
}

function wordOf<Word extends string>(given: unknown, words: readonly Word[]): Word | undefined {
  return typeof given === 'string'
    ? words.find((word) => word.toLowerCase() === given.trim().toLowerCase())
    : undefined;
}

/** Adds a problem with a key; `what` is the rest of a sentence that begins with it. */
function refuse(problems: ProblemDetail[], key: string, what: string): void {
  problems.push({ code: 'invalid', field: key, message: `${key} ${what}` });
}
