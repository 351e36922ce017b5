import type { FieldValues } from '@callout/domain/values/values';
import type { FieldRef } from '@callout/domain/query/condition';
import { foldText } from '@callout/domain/query/fold-text';

/** The records that a query is about. */
export interface RecordCollection {
  readonly tenantId: number;
  readonly entityType: string;
}

/** The key of a field in `records.folded`. Names of fields are letters and digits, so none looks like this. */
export function foldedKey({ name, udfId }: Pick<FieldRef, 'name' | 'udfId'>): string {
  return udfId === null ? name : udfKey(udfId);
}

function udfKey(udfId: number | string): string {
  return `udf:${udfId}`;
}

/** The only key of `records.folded`, around all others; see foldedRecord. */
export function scopeKey({ tenantId, entityType }: RecordCollection): string {
  return `${tenantId}/${entityType}`;
}

/**
 * The copy of a record that queries search, `records.folded`, as JSON text:
 * `{"7/Account":{"companyName":"acme","udf:3":"gold"}}`.
 *
 * - Values are folded here and not by PostgreSQL, whose lower() depends on the locale of the database.
 * - Empty fields are left out: null and a value never given are alike to a query, most fields of a record are empty,
 *   and each value that is there costs an index entry with every change.
 * - Tenant and entity are part of the path, and with it of the hash that is the index entry. So one index serves all,
 *   and the cost of a query depends on the rows of its own tenant: the same value of another tenant is another entry.
 * - A deleted record has no copy.
 */
export function foldedRecord(
  collection: RecordCollection,
  record: { readonly fields: FieldValues; readonly udfFields: FieldValues; readonly isDeleted: boolean },
): string {
  if (record.isDeleted) return '{}';
  const values = Object.create(null) as Record<string, string>;
  copyFolded(record.fields, values, (name) => name);
  copyFolded(record.udfFields, values, udfKey);
  return `{${JSON.stringify(scopeKey(collection))}:${JSON.stringify(values)}}`;
}

function copyFolded(from: FieldValues, to: Record<string, string>, keyOf: (name: string) => string): void {
  for (const name in from) {
    const value = from[name];
    if (value !== null && value !== undefined) to[keyOf(name)] = foldText(value);
  }
}
