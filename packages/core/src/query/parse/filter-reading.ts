import type { OnUnknownKey } from '../../input/fold-keys.ts';
import type { ProblemCode } from '../../errors/problem-code.ts';
import type { ProblemDetail } from '../../errors/problem.ts';
import type { QueryableCollection } from '../collection.ts';
import { quote } from './quote.ts';

/** Items of `or` groups and values of `in` and `notIn`, all together. */
export const maxOrBranches = 500;
/** Siblings of the filter are level 1, the items of a group one more than the group. */
export const maxFilterDepth = 10;
/** Every condition is judged for every row that is looked at. */
export const maxConditions = 1000;

/** A filter while it is read: what is counted over all of it, and what was found wrong with it. */
export interface FilterReading {
  readonly collection: QueryableCollection;
  readonly problems: ProblemDetail[];
  /** Told of each key of a condition that is unknown. */
  readonly onUnknown: OnUnknownKey | undefined;
  /** Names of the user-defined fields that it names, by id. */
  readonly udfs: Map<number, string>;
  conditions: number;
  orBranches: number;
}

/**
 * Adds a problem; `what` is the rest of a sentence that begins with the path, and with the field that the condition is
 * about where that is known. Nothing comes of what is refused.
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

/** How a sentence begins that is about a part of a condition: `Filter[0].value for "companyName"`. */
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
