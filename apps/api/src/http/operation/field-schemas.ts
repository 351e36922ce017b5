import { z } from 'zod';
import type { DataType } from '@callout/domain/catalogue/catalogue';
import { isJsonType, type Field, type FieldTable, type WholeWrite } from '@callout/domain/metadata/field';
import { requiredOf } from '@callout/domain/metadata/field-table';

const types: Readonly<Record<DataType, z.ZodType>> = {
  string: z.string(),
  integer: z.int().meta({ format: 'int32' }),
  long: z.int().meta({ format: 'int64' }),
  double: z.number(),
  decimal: z.number(),
  boolean: z.boolean(),
  datetime: z.iso.datetime(),
  // A number, stored as text.
  list: z.unknown().meta({ oneOf: [{ type: 'string' }, { type: 'integer' }] }),
};

/** Further properties of an object. */
type Properties = Readonly<Record<string, z.ZodType>>;

// The schemas of records are made with the document, which most processes never serve.

/** The fields of a record in reads. A query names the fields to show, and no field is required. */
export function recordSchema(id: string, table: FieldTable, furtherProperties: Properties = {}): z.ZodType {
  const properties = () => {
    const shown = Object.entries(table).filter(([, { only }]) => only === undefined);
    return shown.map(([name, field]) => [name, valueSchema(field, field.isNullable).optional()] as const);
  };
  return z.lazy(() => z.object({ ...Object.fromEntries(properties()), ...furtherProperties })).meta({ id });
}

/** A kind of body; `draft`: a create without required fields. */
type Write = WholeWrite | 'update' | 'draft';

/**
 * The body of a write. Read-only fields are left out, except the id of an update and fields that a create requires.
 * Where names may replace an id, a single key is enough.
 */
export function bodySchema(id: string, table: FieldTable, write: Write, furtherProperties: Properties = {}): z.ZodType {
  const required = write === 'update' || write === 'draft' ? [] : requiredOf(table, write);
  const fields = Object.entries(table).filter(([name, field]) => isIn(write, name, field));
  const namesOf = (target: string) => fields.filter(([, { insteadOf }]) => insteadOf === target).map(([name]) => name);
  const choices = required.map((name) => [name, ...namesOf(name)]).filter(({ length }) => length > 1);
  const isAlwaysThere = (name: string) => required.includes(name) && namesOf(name).length === 0;
  const properties = () =>
    fields.map(([name, field]) => {
      // The schema of the record says whether webhooks can subscribe to it.
      const schema = valueSchema({ ...field, isSupportedWebhookField: false }, field.takesNull);
      return [name, isAlwaysThere(name) ? schema : schema.optional()] as const;
    });
  const body = (): z.ZodType => z.object({ ...Object.fromEntries(properties()), ...furtherProperties });
  return z.lazy(() => choices.reduce(withOneOf, body())).meta({ id });
}

/**
 * An object with at least one of some keys. Stated beside the object and not within, since generators then keep the
 * type of the object.
 */
function withOneOf(body: z.ZodType, names: readonly string[]): z.ZodType {
  return z.intersection(body, z.unknown().meta({ anyOf: names.map((name) => ({ required: [name] })) }));
}

function isIn(write: Write, name: string, field: Field): boolean {
  const isCreate = write === 'create' || write === 'draft';
  if (field.only === 'create') return isCreate;
  if (name === 'id' && !isCreate) return true;
  if (field.isChosenByCreate === true) return true;
  return field.isReadOnly !== true || (field.requiredOf?.length ?? 0) > 0;
}

/** The schema of a value, from the definition of the field. */
function valueSchema(field: Field, isNullable: boolean | undefined): z.ZodType {
  const { minimum, maximum, picklistValues = [] } = field;
  const schema = typeOf(field).meta({
    ...((picklistValues.length === 0 || field.takesOtherValues === true) && lengthsOf(field)),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  });
  return (isNullable === true ? schema.nullable() : schema).describe(descriptionOf(field));
}

function lengthsOf({ dataType, minLength, length = 0 }: Field) {
  if (dataType !== 'string') return {};
  return { ...(minLength !== undefined && { minLength }), ...(length > 0 && { maxLength: length }) };
}

function typeOf({ dataType, items, schema, picklistValues = [], takesOtherValues = false }: Field): z.ZodType {
  if (schema !== undefined) return z.lazy(() => schema);
  if (items !== undefined) return z.array(itemSchema(items));
  if (isJsonType(dataType)) throw new Error('an object or a list needs its schema or its items');
  const type = types[dataType];
  if (picklistValues.length === 0 || takesOtherValues) return type;
  const values = picklistValues.map(({ value }) => value);
  return dataType === 'string'
    ? z.enum(values)
    : z.literal(values.map(Number)).meta({ ...type.meta(), type: 'integer' });
}

function itemSchema(table: FieldTable): z.ZodObject {
  const required = requiredOf(table, 'create');
  return z.object(
    Object.fromEntries(
      Object.entries(table).map(([name, field]) => {
        const schema = valueSchema(field, field.takesNull);
        return [name, required.includes(name) ? schema : schema.optional()];
      }),
    ),
  );
}

function descriptionOf({ description, referenceEntityType = '', picklistValues = [], ...field }: Field): string {
  // Values that explain themselves are shown by the enum.
  const labels = picklistValues.filter(({ value, label }) => value !== label);
  const parts = [
    description,
    referenceEntityType !== '' && `The id of a ${referenceEntityType}.`,
    labels.length > 0 && `${labels.map(({ value, label }) => `${value} = ${label}`).join(', ')}.`,
    field.defaultValue !== undefined && `A create without it stores \`${field.defaultValue}\`.`,
    field.fieldID !== undefined && field.isReadOnly && !field.isChosenByCreate && 'Read-only.',
    field.isSupportedWebhookField && 'Webhooks can subscribe to it.',
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}
