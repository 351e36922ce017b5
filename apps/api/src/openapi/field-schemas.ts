import { z } from 'zod';
import type { DataType, EntityDefinition } from '@callout/core/catalogue';
import { type FieldMetadata, webhookMetadata } from '@callout/core/metadata';
import { webhookShape } from '@callout/core/webhook';
import { words } from './collections.ts';
import { object, orNull, type Json } from './json-schema.ts';

const types: Readonly<Record<DataType, Json>> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int32' },
  long: { type: 'integer', format: 'int64' },
  double: { type: 'number' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  datetime: { type: 'string', format: 'date-time' },
  list: { type: 'string' },
};

/** The schema of one field, by what the collection's metadata says of it. */
export function fieldSchema(field: FieldMetadata): Json {
  const isText = field.dataType === 'string' && field.length > 0;
  const description = describe(field);
  return {
    ...types[field.dataType],
    ...(isText && { maxLength: field.length }),
    ...(hasValues(field) && { enum: field.picklistValues?.map(({ value }) => valueOf(field, value)) }),
    ...(description !== '' && { description }),
  };
}

/** The schema of a field of a record, with all that the catalogue says of it. */
export function recordFieldSchema({ singular }: EntityDefinition, field: FieldMetadata): Json {
  const one = words(singular);
  const bare = words(field.name.replace(/ID$/, 'Id')).replace(/ id$/, '');
  const meaning = field.name === 'id' ? `The id of the ${one}` : meaningOf(one, bare, field);
  const description = [
    `${meaning}.`,
    describe(field),
    field.isReadOnly && field.name !== 'id' && 'Read-only.',
    field.isSupportedWebhookField && 'Webhooks can subscribe to it.',
  ];
  return { ...fieldSchema(field), description: description.filter((text) => text !== false && text !== '').join(' ') };
}

function meaningOf(one: string, bare: string, { dataType }: FieldMetadata): string {
  if (dataType === 'boolean' && bare.startsWith('is ')) return `Whether the ${one} ${bare}`;
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}

/** An object of fields. Those that `isNullable` picks can also be null. */
export function objectOfFields(
  fields: readonly FieldMetadata[],
  isNullable: (field: FieldMetadata) => boolean,
  schemaOf: (field: FieldMetadata) => Json = fieldSchema,
): Json {
  return object(
    Object.fromEntries(
      fields.map((field) => [field.name, isNullable(field) ? orNull(schemaOf(field)) : schemaOf(field)]),
    ),
  );
}

/** What the bodies of webhooks may have: from the very schemas that read them; lengths are those of the metadata. */
export function webhookSettingsProperties(): Json {
  return Object.fromEntries(
    Object.entries(webhookShape).map(([name, schema]) => {
      const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input' });
      const length = webhookMetadata.find((field) => field.name === name)?.length ?? 0;
      return [name, { ...json, ...(length > 0 && { maxLength: length }) }];
    }),
  );
}

function hasValues({ picklistValues }: FieldMetadata): boolean {
  return picklistValues !== null && picklistValues.length > 0;
}

function valueOf({ dataType }: FieldMetadata, value: string): string | number {
  return dataType === 'string' ? value : Number(value);
}

function describe(field: FieldMetadata): string {
  const labels = field.picklistValues?.map(({ value, label }) => `${value} = ${label}`).join(', ') ?? '';
  return [field.isReference && `The id of a ${field.referenceEntityType}.`, labels !== '' && `${labels}.`]
    .filter((text) => text !== false)
    .join(' ');
}
