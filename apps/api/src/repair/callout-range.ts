import type { ProblemDetail } from '@callout/core/errors';
import { actions } from '@callout/core/ingest';
import { foldKeys, knownKeys } from '@callout/core/input';
import { type CalloutRange, idOf } from '@callout/db/log';
import { judged, readWhole, readWords, refuse } from '../http/route/read-parameters.ts';
import { readRange } from '../log/filter/callout-filter.ts';
import { calloutRange, maxNamedCallouts } from './repair-schemas.ts';

const rangeKeys = Object.keys(calloutRange.shape);
/** The keys of the body of a request about many callouts. */
export const knownRangeKeys = knownKeys(Object.fromEntries(rangeKeys.map((key) => [key, null])));

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
