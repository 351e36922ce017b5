import { z } from 'zod';
import { dataTypes } from '../values/data-types.ts';
import { defaultSchema, type FieldDefault, readDefault } from './field-default.ts';
import { pascalCase, soapNameOf, spacedWords } from './names.ts';

export { dataTypes, type DataType } from '../values/data-types.ts';

const picklistValueSchema = z.object({
  value: z.string(),
  label: z.string(),
  isDefaultValue: z.boolean().default(false),
  sortOrder: z.int().default(0),
  parentValue: z.string().default(''),
  isActive: z.boolean().default(true),
  isSystem: z.boolean().default(true),
});

const fieldSchema = z.object({
  fieldID: z.int().positive(),
  name: z.string().regex(/^[a-z][A-Za-z0-9]*$/u, 'must be a camelCase name'),
  dataType: z.enum(dataTypes),
  length: z.int().nonnegative(),
  isRequired: z.boolean(),
  isReadOnly: z.boolean(),
  isReference: z.boolean(),
  referenceEntityType: z.string(),
  isPickList: z.boolean(),
  picklistValues: z.array(picklistValueSchema).default([]),
  /** The values of the picklist are those that a new installation has: any other integer is accepted, too. */
  takesOtherValues: z.boolean().default(false),
  /** What a create without the field stores. */
  default: defaultSchema.optional(),
  isSupportedWebhookField: z.boolean(),
  /** The meaning of the field, as a sentence; derived from the name if it is left out. */
  description: z.string().min(1).optional(),
  /** Its name in the SOAP API, where that is not the name in PascalCase. */
  soapName: z
    .string()
    .regex(/^[A-Z][A-Za-z0-9]*$/u, 'must be a PascalCase name')
    .optional(),
});

/** A record to which records of this entity belong, under whose path they are found as well. */
const parentSchema = z.object({
  entityType: z.string().min(1),
  /** The field that holds the parent's id. */
  field: z.string().min(1),
  /** The segment after the parent's id in the path, such as `Contacts` in `/Companies/5/Contacts`. */
  segment: z.string().regex(/^[A-Z][A-Za-z0-9]*$/u, 'must be a PascalCase name'),
  /** Whether records can be created and changed there, too. */
  canWrite: z.boolean(),
});

const entitySchema = z.object({
  collection: z.string().min(1),
  singular: z.string().min(1),
  entityType: z.string().min(1),
  webhookCollection: z.string(),
  hasUserDefinedFields: z.boolean(),
  supportsWebhookCallouts: z.boolean(),
  /** Its records and events are made by Callout itself: nobody else creates, changes or deletes them. */
  isReadOnly: z.boolean().default(false),
  parents: z.array(parentSchema).default([]),
  fields: z.array(fieldSchema).min(1),
});

/** One value of a picklist field, as metadata shows it. */
export type PicklistValue = Readonly<z.output<typeof picklistValueSchema>>;

/**
 * One field of an entity. `payloadKey` is its key in a callout's `Fields`: the name in PascalCase. `description` is a
 * sentence for the API's document and metadata.
 */
export interface FieldDefinition extends Readonly<
  Omit<z.output<typeof fieldSchema>, 'picklistValues' | 'soapName' | 'default'>
> {
  readonly description: string;
  readonly soapName: string;
  readonly picklistValues: readonly PicklistValue[];
  readonly payloadKey: string;
  readonly default?: FieldDefault;
}

/** Where records of an entity are found under another record, such as `/Companies/{parentId}/Contacts`. */
export interface RecordParent extends Readonly<Pick<z.output<typeof parentSchema>, 'segment' | 'canWrite'>> {
  /** The parent's entity. */
  readonly entity: EntityDefinition;
  /** The field of the child that holds the parent's id. */
  readonly field: FieldDefinition;
}

/**
 * One entity: its names, what it supports, and its fields. Lookups take one step and ignore case. `webhookSingular` is
 * the name of one of its webhooks, such as `CompanyWebhook`; the collections of their children begin with it.
 */
export interface EntityDefinition extends Readonly<Omit<z.output<typeof entitySchema>, 'fields' | 'parents'>> {
  readonly webhookSingular: string;
  readonly parents: readonly RecordParent[];
  readonly fields: readonly FieldDefinition[];
  fieldByID(fieldID: number): FieldDefinition | undefined;
  fieldByName(name: string): FieldDefinition | undefined;
}

/** All entities of an installation. Lookups ignore case, because paths and `entityType` in bodies do. */
export interface Catalogue {
  readonly entities: readonly EntityDefinition[];
  /** The entities that webhooks can subscribe to. */
  readonly watched: readonly EntityDefinition[];
  byEntityType(entityType: string): EntityDefinition | undefined;
  byCollection(collection: string): EntityDefinition | undefined;
  byWebhookCollection(webhookCollection: string): EntityDefinition | undefined;
}

/**
 * Builds the catalogue from parsed catalogue files, one per entity: an entity is data, a new one needs no new code.
 * Throws an Error that lists every problem of every file.
 */
export function buildCatalogue(files: readonly unknown[]): Catalogue {
  const problems: string[] = [];
  const parsedFiles = files.flatMap((file, index) => {
    const parsed = entitySchema.safeParse(file);
    if (parsed.success) return [parsed.data];
    problems.push(...parsed.error.issues.map((issue) => `file ${index + 1}: ${issue.path.join('.')} ${issue.message}`));
    return [];
  });
  const parentsOf = new Map<string, RecordParent[]>();
  const entities = parsedFiles.map((parsed) => {
    const parents: RecordParent[] = [];
    parentsOf.set(parsed.entityType, parents);
    return defineEntity(parsed, parents, problems);
  });
  const byEntityType = indexByName(entities, (entity) => entity.entityType, 'entity type', problems);
  const byCollection = indexByName(entities, (entity) => entity.collection, 'collection', problems);
  const withWebhooks = entities.filter((entity) => entity.webhookCollection !== '');
  const byWebhookCollection = indexByName(withWebhooks, (entity) => entity.webhookCollection, 'collection', problems);
  for (const { entityType, parents } of parsedFiles) {
    const entity = byEntityType(entityType);
    for (const parent of parents) {
      const found = entity && findParent(entity, parent, byEntityType, problems);
      if (found) parentsOf.get(entityType)?.push(found);
    }
  }
  refuseSharedPaths(entities, problems);
  if (problems.length > 0) throw new Error(`The catalogue is not usable:\n${problems.join('\n')}`);
  const watched = entities.filter((entity) => entity.supportsWebhookCallouts);
  return { entities, watched, byEntityType, byCollection, byWebhookCollection };
}

/** Resolves a parent of a file, once all files are read; undefined, with a problem added, when it is invalid. */
function findParent(
  child: EntityDefinition,
  { entityType, field: name, segment, canWrite }: z.output<typeof parentSchema>,
  byEntityType: (entityType: string) => EntityDefinition | undefined,
  problems: string[],
): RecordParent | undefined {
  const entity = byEntityType(entityType);
  const field = child.fieldByName(name);
  const refuse = (what: string) => void problems.push(`${child.entityType}: its parent ${entityType} ${what}`);
  if (entity === undefined) refuse('is no entity of the catalogue');
  else if (!entity.supportsWebhookCallouts || !child.supportsWebhookCallouts) refuse('needs callouts of both');
  else if (field === undefined) refuse(`is named by ${name}, which is no field`);
  else if (reservedSegments.has(segment.toLowerCase())) refuse(`cannot have ${segment} as a path`);
  else return { entity, field, segment, canWrite };
  return undefined;
}

/** Segments that follow a collection in paths and so cannot name a parent's collection. */
const reservedSegments: ReadonlySet<string> = new Set(['query', 'count', 'next', 'entityinformation', 'fields']);

function refuseSharedPaths(entities: readonly EntityDefinition[], problems: string[]): void {
  const paths = new Set<string>();
  for (const { entity, segment } of entities.flatMap((one) => one.parents)) {
    const path = `/${entity.collection}/{id}/${segment}`;
    if (paths.has(path.toLowerCase())) problems.push(`the path ${path} is defined twice`);
    paths.add(path.toLowerCase());
  }
}

/** For entities whose catalogue file leaves descriptions out. */
function descriptionOf(singular: string, { name, dataType }: z.output<typeof fieldSchema>): string {
  const one = spacedWords(singular);
  if (name === 'id') return `The id of the ${one}.`;
  const words = spacedWords(name.replace(/I[Dd]$/, ''));
  if (dataType === 'boolean' && words.startsWith('is ')) return `Whether the ${one} ${words}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function defineField(
  { singular, entityType }: z.output<typeof entitySchema>,
  { default: given, ...field }: z.output<typeof fieldSchema>,
  problems: string[],
): FieldDefinition {
  const read = given === undefined ? undefined : readDefault(field, given);
  if (typeof read === 'string') problems.push(`${entityType}: ${field.name} ${read}`);
  const fieldDefault = typeof read === 'object' ? read : undefined;
  const initial = fieldDefault?.kind === 'value' ? fieldDefault.value : undefined;
  return {
    ...field,
    ...(fieldDefault && { default: fieldDefault }),
    picklistValues: field.picklistValues.map((one) => (one.value === initial ? { ...one, isDefaultValue: true } : one)),
    description: field.description ?? descriptionOf(singular, field),
    payloadKey: pascalCase(field.name),
    soapName: field.soapName ?? soapNameOf(field.name),
  };
}

function defineEntity(
  parsed: z.output<typeof entitySchema>,
  parents: readonly RecordParent[],
  problems: string[],
): EntityDefinition {
  const fields = parsed.fields.map((field) => defineField(parsed, field, problems));
  const byID = new Map(fields.map((field) => [field.fieldID, field]));
  if (byID.size < fields.length) problems.push(`${parsed.entityType}: a fieldID is used twice`);
  if (parsed.supportsWebhookCallouts && parsed.webhookCollection === '') {
    problems.push(`${parsed.entityType}: supports callouts and names no webhookCollection`);
  }
  const fieldByName = indexByName(fields, (field) => field.name, `field of ${parsed.entityType}`, problems);
  indexByName(fields, (field) => field.soapName, `soapName of ${parsed.entityType}`, problems);
  const webhookSingular = parsed.webhookCollection.replace(/s$/, '');
  return { ...parsed, webhookSingular, parents, fields, fieldByID: (fieldID) => byID.get(fieldID), fieldByName };
}

/** A lookup that ignores case; the exact spelling, which nearly every caller uses, is found without folding. */
function indexByName<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  kind: string,
  problems: string[],
): (name: string) => T | undefined {
  const exact = new Map<string, T>();
  const folded = new Map<string, T>();
  for (const item of items) {
    const name = nameOf(item);
    if (folded.has(name.toLowerCase())) problems.push(`${kind} ${name} is defined twice`);
    exact.set(name, item);
    folded.set(name.toLowerCase(), item);
  }
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase());
}
