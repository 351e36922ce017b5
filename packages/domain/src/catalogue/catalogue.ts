import {
  catalogueFileSchema,
  completeFile,
  type EntityInFile,
  type FieldInFile,
  type ParentInFile,
  type PicklistValue,
} from './catalogue-file.ts';
import { type FieldDefault, readDefault } from './field-default.ts';
import { pascalCase, soapNameOf, spacedWords } from './names.ts';

export type { PicklistValue } from './catalogue-file.ts';
export { dataTypes, type DataType } from '../values/data-types.ts';

/**
 * One field of an entity. `payloadKey` is its key in a callout's `Fields`: the name in PascalCase. `description` is a
 * sentence for the API's document and metadata.
 */
export interface FieldDefinition extends Readonly<
  Omit<FieldInFile, 'picklistValues' | 'soapName' | 'default' | 'description'>
> {
  readonly description: string;
  readonly soapName: string;
  readonly picklistValues: readonly PicklistValue[];
  readonly payloadKey: string;
  readonly default?: FieldDefault;
}

/** Where records of an entity are found under another record, such as `/Companies/{parentId}/Contacts`. */
export interface RecordParent extends Readonly<Pick<ParentInFile, 'segment' | 'canWrite'>> {
  /** The parent's entity. */
  readonly entity: EntityDefinition;
  /** The field of the child that holds the parent's id. */
  readonly field: FieldDefinition;
}

/**
 * An entity: names, abilities, and fields. Lookups take one step and ignore case. `webhookSingular` is the name of a
 * single webhook, such as `CompanyWebhook`; the collections of children begin with the name.
 */
export interface EntityDefinition extends Readonly<Omit<EntityInFile, 'fields' | 'fieldsInFile' | 'parents'>> {
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

/** What is wrong with a catalogue file: the place in its JSON, and a message that is a sentence with the place before. */
export interface CatalogueProblem {
  /** The place of the file among those of `buildCatalogue`. */
  readonly file: number;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A catalogue that cannot be used, with every problem of every file. */
export class CatalogueError extends Error {
  readonly problems: readonly CatalogueProblem[];

  constructor(problems: readonly CatalogueProblem[]) {
    const lines = problems.map(({ file, path, message }) => `file ${file + 1}: ${path.join('.')} ${message}`);
    super(`The catalogue is not usable:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

/** Adds a problem at a place of one file. */
type Refuse = (path: readonly PropertyKey[], message: string) => void;

/** An entity of a file, while the catalogue is built. */
interface BuiltEntity {
  readonly inFile: EntityInFile;
  readonly entity: EntityDefinition;
  readonly parents: RecordParent[];
  readonly refuse: Refuse;
}

/**
 * Builds the catalogue from parsed catalogue files, one per entity: an entity is data, a new one needs no new code.
 * @throws CatalogueError
 */
export function buildCatalogue(files: readonly unknown[]): Catalogue {
  const problems: CatalogueProblem[] = [];
  const built = files.flatMap((content, file): BuiltEntity[] => {
    const refuse: Refuse = (path, message) => problems.push({ file, path, message });
    const parsed = catalogueFileSchema.safeParse(content);
    for (const issue of parsed.error?.issues ?? []) refuse(issue.path, issue.message);
    if (!parsed.success) return [];
    const inFile = completeFile(parsed.data);
    const parents: RecordParent[] = [];
    return [{ inFile, parents, refuse, entity: defineEntity(inFile, parents, refuse) }];
  });
  const index = (key: 'entityType' | 'collection' | 'webhookCollection') =>
    indexByName(
      built.filter(({ entity }) => entity[key] !== ''),
      ({ entity }) => entity[key],
      ({ entity, refuse }) => refuse([key], `${entity[key]} is defined twice`),
    );
  const [builtByType, byCollection, byWebhookCollection] = [
    index('entityType'),
    index('collection'),
    index('webhookCollection'),
  ];
  const byEntityType = (entityType: string) => builtByType(entityType)?.entity;
  for (const one of built) addParents(one, byEntityType);
  refuseSharedPaths(built);
  if (problems.length > 0) throw new CatalogueError(problems);
  const entities = built.map(({ entity }) => entity);
  return {
    entities,
    watched: entities.filter((entity) => entity.supportsWebhookCallouts),
    byEntityType,
    byCollection: (collection) => byCollection(collection)?.entity,
    byWebhookCollection: (collection) => byWebhookCollection(collection)?.entity,
  };
}

/** Resolves the parents of an entity, once all files are read. */
function addParents(
  { inFile, entity: child, parents, refuse }: BuiltEntity,
  byEntityType: (entityType: string) => EntityDefinition | undefined,
): void {
  for (const [place, { entityType, field: name, segment, canWrite }] of inFile.parents.entries()) {
    const entity = byEntityType(entityType);
    const field = child.fieldByName(name);
    const at = (key: keyof ParentInFile, message: string) => refuse(['parents', place, key], message);
    if (entity === undefined) at('entityType', `${entityType} is no entity of the catalogue`);
    else if (!entity.supportsWebhookCallouts || !child.supportsWebhookCallouts)
      at('entityType', `${entityType} cannot be a parent: both entities need supportsWebhookCallouts`);
    else if (field === undefined) at('field', `${name} is no field of ${child.entityType}`);
    else if (reservedSegments.has(segment.toLowerCase()))
      at('segment', `${segment} is a path of the API: choose another`);
    else parents.push({ entity, field, segment, canWrite });
  }
}

/** Segments that follow a collection in paths and therefore cannot name a parent's collection. */
const reservedSegments: ReadonlySet<string> = new Set(['query', 'count', 'next', 'entityinformation', 'fields']);

function refuseSharedPaths(built: readonly BuiltEntity[]): void {
  const paths = new Set<string>();
  for (const { parents, refuse } of built)
    for (const { entity, segment } of parents) {
      const path = `/${entity.collection}/{id}/${segment}`;
      if (paths.has(path.toLowerCase())) refuse(['parents'], `define the path ${path} twice`);
      paths.add(path.toLowerCase());
    }
}

/** For fields whose catalogue file leaves the description out. */
function descriptionOf(singular: string, { name, dataType }: FieldInFile): string {
  const one = spacedWords(singular);
  if (name === 'id') return `The id of the ${one}.`;
  const words = spacedWords(name.replace(/I[Dd]$/, ''));
  if (dataType === 'boolean' && words.startsWith('is ')) return `Whether the ${one} ${words}.`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function defineField(
  { singular }: EntityInFile,
  { default: defaultInFile, ...field }: FieldInFile,
  refuse: (key: string, message: string) => void,
): FieldDefinition {
  const read = defaultInFile === undefined ? undefined : readDefault(field, defaultInFile);
  if (typeof read === 'string') refuse('default', `${field.name} ${read}`);
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

function defineEntity(inFile: EntityInFile, parents: readonly RecordParent[], refuse: Refuse): EntityDefinition {
  // A field id that Callout adds is the first one, and has no place in the file.
  const added = inFile.fields.length - inFile.fieldsInFile;
  const refuseField = (place: number, key: string, message: string) =>
    refuse(['fields', Math.max(place - added, 0), key], message);
  const fields = inFile.fields.map((field, place) =>
    defineField(inFile, field, (key, message) => refuseField(place, key, message)),
  );
  const byID = new Map<number, FieldDefinition>();
  for (const [place, field] of fields.entries()) {
    const other = byID.get(field.fieldID);
    if (other) refuseField(place, 'fieldID', `${field.fieldID} is that of ${other.name}: each field needs its own`);
    byID.set(field.fieldID, field);
  }
  if (inFile.supportsWebhookCallouts && inFile.webhookCollection === '')
    refuse(['webhookCollection'], 'must name the collection of webhooks, since supportsWebhookCallouts is true');
  const places = fields.map((field, place) => ({ field, place }));
  const index = (key: 'name' | 'soapName') =>
    indexByName(
      places,
      ({ field }) => field[key],
      ({ field, place }) => refuseField(place, key, `${field[key]} is that of another field: names ignore case`),
    );
  const byName = index('name');
  index('soapName');
  const { fieldsInFile: _, ...names } = inFile;
  return {
    ...names,
    webhookSingular: inFile.webhookCollection.replace(/s$/, ''),
    parents,
    fields,
    fieldByID: (fieldID) => byID.get(fieldID),
    fieldByName: (name) => byName(name)?.field,
  };
}

/** A lookup that ignores case; the exact spelling, which nearly every caller uses, is found without folding. */
function indexByName<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  refuseSecond: (item: T) => void,
): (name: string) => T | undefined {
  const exact = new Map<string, T>();
  const folded = new Map<string, T>();
  for (const item of items) {
    const name = nameOf(item);
    if (folded.has(name.toLowerCase())) refuseSecond(item);
    exact.set(name, item);
    folded.set(name.toLowerCase(), item);
  }
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase());
}
