import type { OnUnknownKey } from '../../input/fold-keys.ts';
import type { ProblemCode } from '../../problem-code.ts';
import type { ProblemDetail } from '../../problem.ts';
import type { QueryableCollection } from '../collection.ts';
import { quote } from './quote.ts';

/** Items of `or` groups and values of `in` and `notIn`, all together. */
export const maxOrBranches = 500;
/** Siblings of the filter are level 1, the items of a group one more than the group. */
export const maxFilterDepth = 10;
/** Every condition is judged for every row that is looked at. */
export const maxConditions = 1000;

/** The state of reading a filter: counts, and the problems so far. */
export interface FilterReading {
  readonly collection: QueryableCollection;
  readonly problems: ProblemDetail[];
  /** Receives each unknown key of a condition. */
  readonly onUnknown: OnUnknownKey | undefined;
  /** Names of the user-defined fields in the filter, by id. */
  readonly udfs: Map<number, string>;
  conditions: number;
  orBranches: number;
}

/**
 * Adds a problem; `what` continues a sentence that begins with the path, and with the field of the condition, if known.
 * A refused condition has no effect.
 */
export function refuse(
  { problems }: Pick<FilterReading, 'problems'>,
  path: string,
  what: string,
  code: ProblemCode = 'invalid',
  fieldName?: string,
): undefined {
  problems.push({ code, field: path, message: `${placeOf(path, fieldName)} ${what}` });
  return undefined;
}

/** The beginning of a sentence about a part of a condition: `Filter[0].value for "companyName"`. */
export function placeOf(path: string, fieldName: string | undefined): string {
  return fieldName === undefined ? path : `${path} for ${quote(fieldName)}`;
}

/** Adds the problems that concern a filter as a whole. */
export function refuseExcess(reading: FilterReading): void {
  if (reading.orBranches > maxOrBranches) {
    const what = `has ${reading.orBranches} OR branches (items of or, values of in and notIn)`;
    refuse(reading, 'Filter', `${what}: at most ${maxOrBranches} are allowed`, 'tooManyBranches');
  }
  if (reading.udfs.size > 1) {
    const names = [...reading.udfs.values()].map((name) => JSON.stringify(name)).join(', ');
    refuse(reading, 'Filter', `names the user-defined fields ${names}: a query may name one`, 'tooManyUdfs');
  }
}
