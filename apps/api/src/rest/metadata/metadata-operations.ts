import { z } from 'zod';
import { dataTypes } from '@callout/domain/catalogue/catalogue';
import { jsonTypes } from '@callout/domain/metadata/field';
import { udfDataTypes } from '@callout/domain/metadata/udf-definition-fields';
import type { DescribedCollection } from '../../http/operation/collection-operations.ts';
import { operationOf, type OperationSchema, type OperationTemplate } from '../../http/operation/operation-schema.ts';
import { flag, text, whole } from '../../http/operation/wire-types.ts';

/** The extent of a caller's right: everything, a part, or nothing, in the terms of the API family. */
const userAccesses = ['All', 'Restricted', 'None'] as const;
export type UserAccess = (typeof userAccesses)[number];

const access = (what: string) =>
  z.enum(userAccesses).describe(`What the caller may ${what}: All, only some of it (Restricted), or nothing (None).`);

const entityInformation = z
  .object({
    info: z
      .object({
        name: text.describe('The name of the entity.'),
        canCreate: flag.describe('Whether the caller may create.'),
        canDelete: flag.describe('Whether the caller may delete.'),
        canQuery: flag.describe('Whether the caller may read and query.'),
        canUpdate: flag.describe('Whether the caller may update.'),
        userAccessForCreate: access('create'),
        userAccessForDelete: access('delete'),
        userAccessForQuery: access('read and query'),
        userAccessForUpdate: access('update'),
        hasUserDefinedFields: flag.describe('Whether tenants can add fields to the entity.'),
        supportsWebhookCallouts: flag.describe('Whether webhooks can subscribe to the entity.'),
      })
      .describe('What the collection can, and what the caller may do there.'),
  })
  .meta({ id: 'EntityInformation' });

const picklistValue = z.object({
  value: text.describe('What is stored.'),
  label: text.describe('What people see.'),
  isDefaultValue: flag.describe('Whether a new record gets the value.'),
  sortOrder: whole.describe('The place in the list.'),
  parentValue: text.describe('The value of the parent field with which the value can be chosen; empty: with any.'),
  isActive: flag.describe('Whether the value can be chosen.'),
  isSystem: flag.describe('Whether the value comes with the service and not from the tenant.'),
});

const anyField = {
  name: text.describe('The name of the field, as bodies and filters have it.'),
  description: text.describe('What the field means; empty for user-defined fields.'),
  dataType: z.enum([...dataTypes, ...jsonTypes]).describe('The type of the values; object and array are nested JSON.'),
  length: whole.describe('The longest text in UTF-16 units; 0 = no text, or no limit.'),
  isRequired: flag.describe('Whether a create must have the field.'),
  isReadOnly: flag.describe('Whether writes ignore the field.'),
  isQueryable: flag.describe('Whether filters can name the field.'),
  isReference: flag.describe('Whether the value is the id of another record.'),
  referenceEntityType: text.describe('The entity of that record; empty for other fields.'),
  isPickList: flag.describe('Whether the value comes from a list.'),
  picklistValues: z
    .array(picklistValue)
    .nullable()
    .describe('The values of the list; null without a list, empty when no values are defined.'),
  picklistParentValueField: text.describe('The field whose value decides which values can be chosen; empty: none.'),
  isSupportedWebhookField: flag.describe('Whether webhooks can subscribe to the field.'),
  defaultValue: text.describe('What a create without the field stores, as text; empty: null.'),
};

const fieldInformation = z
  .object({
    fields: z
      .array(
        z.object({
          fieldID: whole
            .describe('The number of the field, by which the fields of webhooks name it; fields of records only.')
            .optional(),
          ...anyField,
        }),
      )
      .describe('An entry for each field.'),
  })
  .meta({ id: 'FieldInformation' });

const userDefinedFieldInformation = z
  .object({
    fields: z
      .array(
        z.object({
          ...anyField,
          label: text.describe('What people call the field.'),
          type: z.enum(dataTypes).describe('The data type, as the metadata of system fields spells it.'),
          dataType: z.enum(udfDataTypes).describe('The data type, as the definition spells it.'),
        }),
      )
      .describe('An entry for each field.'),
  })
  .meta({ id: 'UserDefinedFieldInformation' });

/** By path below `/entityInformation`. */
const templates = {
  '': {
    id: 'get{Many}Information',
    summary: 'Describe the collection of {many} and your rights',
    responses: { 200: { description: 'What the collection can, and what you may.', schema: entityInformation } },
  },
  '/fields': {
    id: 'get{Many}FieldInformation',
    summary: 'Describe the fields of {many}',
    responses: { 200: { description: 'A description of each field.', schema: fieldInformation } },
  },
  '/userDefinedFields': {
    id: 'get{Many}UserDefinedFieldInformation',
    summary: 'Describe the user-defined fields of {many}',
    responses: {
      200: { description: 'A description of each user-defined field.', schema: userDefinedFieldInformation },
    },
  },
} as const satisfies Readonly<Record<string, OperationTemplate>>;

export type MetadataPath = keyof typeof templates;

/** The API's description of a collection's metadata. */
export function metadataOperation(
  path: MetadataPath,
  method: 'GET' | 'POST',
  { names, tags }: Pick<DescribedCollection, 'names' | 'tags'>,
): OperationSchema {
  const template = templates[path];
  const id = method === 'GET' ? template.id : `${template.id}ByPost`;
  return operationOf({ ...template, id }, names, tags.metadata);
}
