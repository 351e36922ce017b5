import type { DataType } from '../catalogue/catalogue.ts';
import type { FieldType } from '../metadata/field.ts';

/** The data of a field for queries; a FieldDefinition of the catalogue fits. */
export interface QueryableField {
  readonly name: string;
  /** A filter may name no field that is an object or a list. */
  readonly dataType: FieldType;
  /** Whether a filter may name it; absent = yes. A secret may not: filters could find it out. */
  readonly isQueryable?: boolean;
}

/** The data of a user-defined field for queries. */
export interface QueryableUdf {
  readonly id: number;
  readonly name: string;
  readonly dataType: DataType;
}

/** The fields that a query may name. Lookups ignore case. */
export interface QueryableCollection {
  /** The name in paths and messages, such as `Companies`. */
  readonly name: string;
  fieldByName(name: string): QueryableField | undefined;
  /** The names of all its fields, for "did you mean". */
  readonly fieldNames: readonly string[];
  /** By name or label; absent = the collection has no user-defined fields. */
  udfByName?(nameOrLabel: string): QueryableUdf | undefined;
}

/** A collection whose fields are a plain list. */
export function defineCollection(name: string, fields: readonly QueryableField[]): QueryableCollection {
  const byFoldedName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const fieldNames = fields.map((field) => field.name);
  return { name, fieldNames, fieldByName: (fieldName) => byFoldedName.get(fieldName.toLowerCase()) };
}
