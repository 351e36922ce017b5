import type { ProblemDetail } from '@callout/domain/problem/problem';
import { actions } from '@callout/domain/event/event';
import { foldKeys, knownKeys } from '@callout/domain/input/fold-keys';
import { unknownKeysOf } from '@callout/domain/input/unknown-names';
import { idOf } from '@callout/database/schema/id-time';
import type { CalloutRange } from '@callout/domain/callout/callout-filter';
import { judged, readWhole, readChoices, refuse } from '../../http/route/read-parameters.ts';
import { readRange } from '../log/filter/callout-filter.ts';
import { calloutRange, maxNamedCallouts } from './repair-schemas.ts';

const rangeKeys = Object.keys(calloutRange.shape);
/** The keys of the body of a request about many callouts. */
export const knownRangeKeys = knownKeys(Object.fromEntries(rangeKeys.map((key) => [key, null])));

/**
 * Reads the callouts that a request about many of them means, such as `{"since","states"}`.
 * `since` is part of the range and `until` is not; both ends of the sequence are. Absent and null are no bound, and one
 * at least is needed: a body of misspelled keys alone would mean every callout.
 * @param mayBeEmpty an empty body means every callout; one of misspelled keys alone is still refused.
 * @throws a 400 Problem with a sentence for everything that is wrong.
 */
export function calloutRangeOfBody(body: unknown, mayBeEmpty = false): CalloutRange {
  const given = foldKeys(body ?? {}, knownRangeKeys);
  return judged((problems) => {
    const isUnbounded = Object.values(given).every((value) => value === null);
    if (isUnbounded && !(mayBeEmpty && unknownKeysOf(body, knownRangeKeys).length === 0)) {
      const message = `Say which callouts are meant: give at least one of ${rangeKeys.join(', ')}`;
      problems.push({ code: 'required', message });
    }
    return {
      ...readRange(given, given['states'], 'states', problems),
      recordId: readWhole(given['recordID'], 'recordID', 0, problems),
      actions: readChoices(given['actions'], 'actions', actions, problems),
      ids: readIds(given['calloutIDs'], problems),
    };
  });
}

/** A range in responses: the common keys, and the given ones of the others. */
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
