import { z } from 'zod';
import { dataTypes } from '../values/data-types.ts';
import { defaultSchema } from './field-default.ts';

const picklistValueSchema = z.strictObject({
  value: z.string().describe('The number that is stored, as text.'),
  label: z.string().describe('What people read.'),
  isDefaultValue: z.boolean().default(false),
  sortOrder: z.int().default(0),
  parentValue: z.string().default(''),
  isActive: z.boolean().default(true),
  isSystem: z.boolean().default(true),
});

const pascalName = z.string().regex(/^[A-Z][A-Za-z0-9]*$/u, 'must be a name in PascalCase, such as OrderLine');

const fieldSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]*$/u, 'must be a camelCase name, such as totalPrice')
    .describe('The key of the field in records and events, in camelCase; in callouts it is in PascalCase.'),
  dataType: z.enum(dataTypes).describe('The type of the values.'),
  fieldID: z
    .int()
    .positive()
    .optional()
    .describe(
      'The number by which webhooks name the field, for ever. Left out: its place in the list, so add fields at the end.',
    ),
  description: z
    .string()
    .min(1)
    .optional()
    .describe('The meaning of the field, as a sentence. Left out: a sentence made from the name.'),
  length: z.int().nonnegative().default(0).describe('The most characters of a text; 0: any number.'),
  isRequired: z.boolean().default(false).describe('Whether a record cannot be created without a value.'),
  isReadOnly: z
    .boolean()
    .default(false)
    .describe('Whether only events set the field, and requests for records cannot.'),
  isReference: z.boolean().optional().describe('Whether the value is the id of another record.'),
  referenceEntityType: z.string().default('').describe('The entity type of that other record.'),
  isPickList: z.boolean().optional().describe('Whether the values are those of a list. Left out: where there is one.'),
  picklistValues: z.array(picklistValueSchema).default([]).describe('The values of the list, each with its label.'),
  takesOtherValues: z.boolean().default(false).describe('Whether any integer is taken beside the values of the list.'),
  default: defaultSchema
    .optional()
    .describe('What a record is created with where the field is left out: a value, or {"dailyNumber": "T"}.'),
  isSupportedWebhookField: z
    .boolean()
    .optional()
    .describe('Whether webhooks can subscribe to the field. Left out: yes, but for the id.'),
  soapName: pascalName.optional().describe('Its name in the SOAP API. Left out: the name in PascalCase.'),
});

/** A record to which records of this entity belong, under whose path they are found as well. */
const parentSchema = z.strictObject({
  entityType: z.string().min(1).describe('The entity type of the parent.'),
  field: z.string().min(1).describe("The field that holds the parent's id."),
  segment: pascalName.describe("What follows the parent's id in the path, such as Lines in /Orders/5/Lines."),
  canWrite: z.boolean().default(false).describe('Whether records can be created and changed under that path, too.'),
});

/** The schema of a catalogue file, which describes one entity. `catalogueJsonSchema` is published from it. */
export const catalogueFileSchema = z.strictObject({
  $schema: z.string().optional().describe('The address of this schema, for editors.'),
  entityType: pascalName.describe('What events call the entity, such as Order.'),
  fields: z
    .array(fieldSchema)
    .min(1)
    .describe('The fields of a record. A field id, a long, is the first one where the list has none.'),
  singular: pascalName.optional().describe('What people call one record. Left out: the entity type.'),
  collection: pascalName
    .optional()
    .describe('The collection in paths. Left out: the plural of singular, such as Orders.'),
  webhookCollection: z
    .union([pascalName, z.literal('')])
    .optional()
    .describe('The collection of webhooks in paths. Left out: singular and Webhooks, such as OrderWebhooks.'),
  supportsWebhookCallouts: z.boolean().default(true).describe('Whether webhooks can be registered on the entity.'),
  hasUserDefinedFields: z.boolean().default(false).describe('Whether tenants can define fields of their own.'),
  isReadOnly: z
    .boolean()
    .default(false)
    .describe(
      'Whether its records and events are made by Callout itself: nobody else creates, changes or deletes them.',
    ),
  parents: z.array(parentSchema).default([]).describe('Entities under whose records these are found as well.'),
});

/** One value of a picklist field, as metadata shows it. */
export type PicklistValue = Readonly<z.output<typeof picklistValueSchema>>;

/** A parent as a catalogue file names it. */
export type ParentInFile = z.output<typeof parentSchema>;

/** A part of a file, in which each of these keys has a value. */
type Complete<Part, Key extends keyof Part> = Omit<Part, Key> & { [key in Key]-?: Exclude<Part[key], undefined> };

/** A field of a catalogue file, with everything that the file left out. */
export type FieldInFile = Complete<
  z.output<typeof fieldSchema>,
  'fieldID' | 'isReference' | 'isPickList' | 'isSupportedWebhookField'
>;

/** A catalogue file, with everything that the file left out. */
export interface EntityInFile extends Complete<
  Omit<z.output<typeof catalogueFileSchema>, 'fields' | '$schema'>,
  'singular' | 'collection' | 'webhookCollection'
> {
  fields: FieldInFile[];
  /** The number of fields that the file itself has: Callout adds a field id before them where there is none. */
  fieldsInFile: number;
}

/** Adds what a valid catalogue file left out. */
export function completeFile(file: z.output<typeof catalogueFileSchema>): EntityInFile {
  const { $schema: _, fields, ...entity } = file;
  const singular = entity.singular ?? entity.entityType;
  const hasId = fields.some(({ name }) => name === 'id');
  const all = hasId ? fields : [fieldSchema.parse({ name: 'id', dataType: 'long' }), ...fields];
  return {
    ...entity,
    singular,
    collection: entity.collection ?? pluralOf(singular),
    webhookCollection: entity.webhookCollection ?? (entity.supportsWebhookCallouts ? `${singular}Webhooks` : ''),
    fields: all.map((field, index) => completeField(field, index + 1)),
    fieldsInFile: fields.length,
  };
}

function completeField(field: z.output<typeof fieldSchema>, place: number): FieldInFile {
  const isId = field.name === 'id';
  return {
    ...field,
    ...(isId && { isRequired: true, isReadOnly: true }),
    fieldID: field.fieldID ?? place,
    isReference: field.isReference ?? field.referenceEntityType !== '',
    isPickList: field.isPickList ?? field.picklistValues.length > 0,
    isSupportedWebhookField: field.isSupportedWebhookField ?? !isId,
  };
}

/** The plural of a name in English, as most names have it: Order, Orders; Delivery, Deliveries; Box, Boxes. */
function pluralOf(name: string): string {
  if (/[^aeiou]y$/u.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(name) ? `${name}es` : `${name}s`;
}

/** The JSON Schema (draft 2020-12) of a catalogue file, for editors and for checks before a deployment. */
export function catalogueJsonSchema(): object {
  return {
    ...z.toJSONSchema(catalogueFileSchema, { io: 'input' }),
    title: 'A catalogue file of Callout',
    description: 'Describes one entity, whose records have events and whose webhooks can be registered.',
  };
}
