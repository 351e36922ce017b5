import { hash } from 'node:crypto';
import type { FieldValues } from '../values/values.ts';
import type { FieldRef } from './condition.ts';
import { foldText } from './fold-text.ts';

/** The records that a query is about. */
export interface RecordCollection {
  readonly tenantId: number;
  readonly entityType: string;
}

/** The known values of a record, and whether it is deleted. */
export interface SearchedRecord {
  readonly fields: FieldValues;
  readonly udfFields: FieldValues;
  readonly isDeleted: boolean;
}

/**
 * The key of a field in `records.folded` and in terms. Names of fields are letters and digits, and never look alike.
 */
export function searchKey({ name, udfId }: Pick<FieldRef, 'name' | 'udfId'>): string {
  return udfId === null ? name : udfKey(udfId);
}

function udfKey(udfId: number | string): string {
  return `udf:${udfId}`;
}

/**
 * The term of a value in `records.terms`: 64 bits of a SHA-256, as a decimal. Tenant and entity are a part, so a single
 * index serves all, and the cost of a query depends on the rows of its tenant. Nobody can find two values with the same
 * term, by which a tenant could slow the queries of another tenant.
 * @param value folded, see `foldText`.
 */
export function termOf({ tenantId, entityType }: RecordCollection, key: string, value: string): string {
  const digest = hash('sha256', `${tenantId}/${entityType}/${key}=${value}`, 'buffer');
  return digest.readBigInt64BE().toString();
}

/** Numbers, codes, names and addresses of people are shorter. */
const longestTerm = 64;
const flagOrMoment = /^(?:true|false|\d{4}-\d{2}-\d{2}t\d{2}:\d{2}:\d{2}z)$/i;

/**
 * Whether a value has a term. With every change of a record each of its terms is entered into the index anew, which was
 * the largest part of the write-ahead log beside the values themselves. So values by which nobody looks a record up
 * have no term: long texts, moments, and booleans, which are found fastest in order of the ids.
 * @param value folded, see `foldText`.
 */
export function hasTerm(value: string): boolean {
  return value.length <= longestTerm && !flagOrMoment.test(value);
}

/**
 * The terms of a record as an array literal, or null. Empty fields have none: null and a value never given are alike to
 * a query, and most fields of a record are empty. A deleted record has none.
 */
export function termsOf(collection: RecordCollection, record: SearchedRecord): string | null {
  if (record.isDeleted) return null;
  const terms = valuesOf(record).flatMap(({ key, value }) => {
    const folded = foldText(value);
    return hasTerm(folded) ? [termOf(collection, key, folded)] : [];
  });
  return terms.length === 0 ? null : `{${terms.join(',')}}`;
}

/** A character that PostgreSQL does not fold in the collation "C". */
const beyondAscii = /[\u0080-\uffff]/;

/** The folded values with characters beyond ASCII as a JSON object, or null. PostgreSQL folds the others itself. */
export function foldedValues(record: SearchedRecord): string | null {
  if (record.isDeleted) return null;
  const folded = valuesOf(record).filter(({ value }) => beyondAscii.test(value));
  if (folded.length === 0) return null;
  return JSON.stringify(Object.fromEntries(folded.map(({ key, value }) => [key, foldText(value)])));
}

function valuesOf({ fields, udfFields }: SearchedRecord): { key: string; value: string }[] {
  const values: { key: string; value: string }[] = [];
  for (const name in fields) {
    const value = fields[name];
    if (value !== null && value !== undefined) values.push({ key: name, value });
  }
  for (const id in udfFields) {
    const value = udfFields[id];
    if (value !== null && value !== undefined) values.push({ key: udfKey(id), value });
  }
  return values;
}
