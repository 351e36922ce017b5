import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { capital } from '../http/operation/names.ts';
import type { DocumentedTag, Json, OpenApiDocument, Operation, PathItem } from './document-types.ts';
import { placeholderRef } from './parameters.ts';

/**
 * Describes once what all entities have alike, in the form of the specification: webhooks with children and deliveries
 * under `/{entityName}Webhooks`, and metadata under `/{collection}/entityInformation`. Requests and responses stay
 * unchanged: only the description names the entity by a placeholder.
 */
export function describeOnce(document: OpenApiDocument, { watched }: Catalogue): OpenApiDocument {
  const model = watched.find(({ hasUserDefinedFields }) => hasUserDefinedFields) ?? watched[0];
  if (model === undefined) return document;
  const general = generalising(model);
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const shared = sharedMetadata(path);
    const entity = watched.find(({ webhookSingular }) => path.startsWith(`/v1.0/${webhookSingular}`));
    if (shared !== undefined) paths[shared.path] ??= each(item, (one, method) => metadata(one, method, shared));
    else if (entity === undefined) paths[path] = item;
    else if (entity === model) {
      paths[path.replace(model.webhookSingular, '{entityName}Webhook')] = each(general(item), (one) => ({
        ...one,
        parameters: [placeholderRef('entityName'), ...one.parameters],
      }));
    }
  }
  const schemas = generalSchemas(document.components.schemas, watched, model, general);
  const described = { ...document, paths, components: { ...document.components, schemas } };
  return { ...described, ...tagsOf(described, general) };
}

/** The name of an entity in the names of webhooks: `Company` of `CompanyWebhook`. */
export const nameOf = ({ webhookSingular }: EntityDefinition) => webhookSingular.replace(/Webhook$/, '');

function each(item: PathItem, change: (operation: Operation, method: string) => Operation): PathItem {
  return Object.fromEntries(Object.entries(item).map(([method, one]) => [method, change(one, method)]));
}

/** Replaces the names of the model's webhooks by the names of all webhooks, anywhere in a value. */
function generalising(model: EntityDefinition) {
  const words = spacedWords(nameOf(model));
  const names = [
    [model.webhookSingular, 'Webhook'],
    [`${words} webhook`, 'webhook'],
    [`${capital(words)} webhook`, 'Webhook'],
    [`${capital(words)}: other forms`, 'Webhook: other forms'],
    [`changes of a ${words}`, 'changes of records'],
  ] as const;
  const text = (sentence: string) => names.reduce((all, [from, to]) => all.replaceAll(from, to), sentence);
  const general = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(general);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, general(inner)]));
  };
  return <Value>(value: Value): Value => general(value) as Value;
}

/** The schemas of the model for all webhooks, with the keys of a single entity; no further schemas. */
function generalSchemas(
  schemas: Readonly<Record<string, Json>>,
  watched: readonly EntityDefinition[],
  model: EntityDefinition,
  general: <Value>(value: Value) => Value,
): Record<string, Json> {
  const isOf = (name: string, { webhookSingular }: EntityDefinition) => name.includes(webhookSingular);
  const kept = Object.entries(schemas).flatMap(([name, schema]): [string, Json][] => {
    if (isOf(name, model)) return [[general(name), withAnyField(general(schema))]];
    return watched.some((entity) => isOf(name, entity)) || name.startsWith('HealthWebhook') ? [] : [[name, schema]];
  });
  const ownOfHealth = propertiesOf(schemas['HealthWebhook']);
  const withAlerts = new Set(['Webhook', 'WebhookCreate', 'WebhookUpdate', 'WebhookReplace', 'SupposedWebhook']);
  return Object.fromEntries(
    kept.map(([name, schema]) => {
      if (!withAlerts.has(name)) return [name, schema];
      return [name, { ...schema, properties: { ...ownOfHealth, ...propertiesOf(schema) } }];
    }),
  );
}

const propertiesOf = (schema: Json | undefined) => (schema?.['properties'] ?? {}) as Json;

/** The fields of an entity differ: metadata lists them. */
function withAnyField(schema: Json): Json {
  const parts = schema['allOf'] as Json[] | undefined;
  if (parts !== undefined) return { ...schema, allOf: parts.map(withAnyField) };
  const { fieldID, ...otherProperties } = propertiesOf(schema) as Record<string, Json>;
  if (fieldID === undefined) return schema;
  const { enum: _fields, ...field } = fieldID;
  const description = 'The number of the field: entityInformation/fields of the entity has it.';
  return { ...schema, properties: { fieldID: { ...field, description }, ...otherProperties } };
}

interface SharedMetadata {
  readonly path: string;
  /** Below `/entityInformation`. */
  readonly rest: string;
  readonly isBelow: boolean;
}

function sharedMetadata(path: string): SharedMetadata | undefined {
  const [, collectionPath = '', rest = ''] = /^\/v1\.0\/(.+)\/entityInformation(\/\w+)?$/.exec(path) ?? [];
  if (collectionPath === '') return undefined;
  const isBelow = collectionPath.includes('/');
  const place = isBelow ? '{collection}/{parentId}/{children}' : '{collection}';
  return { path: `/v1.0/${place}/entityInformation${rest}`, rest, isBelow };
}

const subjects: Readonly<Record<string, { readonly id: string; readonly what: string }>> = {
  '': { id: 'EntityInformation', what: 'what a collection can, and your rights' },
  '/fields': { id: 'FieldInformation', what: 'the fields of a collection' },
  '/userDefinedFields': { id: 'UserDefinedFieldInformation', what: 'the user-defined fields of a collection' },
};

const metadataTag: DocumentedTag = {
  name: 'Metadata',
  description: 'The fields of every collection, and what the caller may do there.',
};

function metadata(operation: Operation, method: string, { rest, isBelow }: SharedMetadata): Operation {
  const { id = '', what = '' } = subjects[rest] ?? {};
  const collection = placeholderRef('collection');
  const [parentId, ...otherProperties] = operation.parameters;
  return {
    ...operation,
    operationId: `get${id}${isBelow ? 'OfChildren' : ''}${method === 'post' ? 'ByPost' : ''}`,
    summary: `Describe ${what}${isBelow ? ' below a record' : ''}`,
    tags: [metadataTag.name],
    parameters:
      isBelow && parentId !== undefined
        ? [collection, parentId, placeholderRef('children'), ...otherProperties]
        : [collection, ...operation.parameters],
  };
}

/** The remaining tags, under general names. */
function tagsOf(
  { paths, tags, 'x-tagGroups': groups }: OpenApiDocument,
  general: <Value>(value: Value) => Value,
): Pick<OpenApiDocument, 'tags' | 'x-tagGroups'> {
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap((one) => one.tags ?? [])));
  const tagsByName = new Map([...tags, ...general(tags), metadataTag].map((tag) => [tag.name, tag]));
  const renamed = groups.map(({ name, tags: names }) => {
    const shown = name === 'Describe fields and rights' ? [metadataTag.name] : names.map((one) => general(one));
    const all = name === 'Other forms of the same operations' ? [...names, ...shown] : shown;
    return { name, tags: [...new Set(all)].filter((one) => used.has(one) || name === 'Receive') };
  });
  const shownTags = renamed.flatMap((group) => group.tags.flatMap((name) => tagsByName.get(name) ?? []));
  return { tags: shownTags, 'x-tagGroups': renamed.filter((group) => group.tags.length > 0) };
}
