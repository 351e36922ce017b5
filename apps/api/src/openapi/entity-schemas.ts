import type { EntityDefinition } from '@callout/core/catalogue';
import { errorLogMetadata, type FieldMetadata, recordMetadata, webhookMetadata } from '@callout/core/metadata';
import { requiredOfCreate, requiredOfPut } from '@callout/core/webhook';
import { childKinds, type ChildKind } from '../webhooks/children/child-kinds.ts';
import { childCollections } from '../webhooks/collections.ts';
import { objectOfFields, recordFieldSchema, webhookSettingsProperties } from './field-schemas.ts';
import { arrayOf, object, ref, requiring, type Json } from './json-schema.ts';

const anyId: Json = { type: 'integer', format: 'int64', minimum: 1 };

/** What reads show of a record of this entity, and what the bodies of its writes may have. */
export function recordSchemas(entity: EntityDefinition): Json {
  const fields = recordMetadata(entity);
  const name = entity.singular;
  const described = (field: FieldMetadata) => recordFieldSchema(entity, field);
  const isWritten = (field: FieldMetadata) => !field.isReadOnly || field.isRequired;
  const withUdfs = (schema: Json, value: string): Json =>
    entity.hasUserDefinedFields
      ? { ...schema, properties: { ...(schema['properties'] as Json), userDefinedFields: arrayOf(ref(value)) } }
      : schema;
  return {
    [name]: withUdfs(
      objectOfFields(fields, (field) => field.name !== 'id', described),
      'UserDefinedFieldValue',
    ),
    [`${name}Update`]: withUdfs(
      objectOfFields(fields.filter(isWritten), (field) => !field.isRequired, described),
      'UserDefinedFieldInput',
    ),
    [`${name}Create`]: requiring(ref(`${name}Update`), requiredOfRecord(entity, 'create')),
    [`${name}Replace`]: requiring(ref(`${name}Update`), requiredOfRecord(entity, 'replace')),
  };
}

/** The fields that a record's POST or PUT must have. */
export function requiredOfRecord(entity: EntityDefinition, use: 'create' | 'replace'): string[] {
  const required = entity.fields.filter((field) => field.isRequired && field.name !== 'id');
  return required.filter((field) => use === 'create' || !field.isReadOnly).map((field) => field.name);
}

/** Webhooks of all entities are alike, except for what may come along when one is created. */
export function webhookSchemas(): Json {
  return {
    Webhook: objectOfFields(webhookMetadata, (field) => field.name === 'notificationEmailAddress'),
    WebhookUpdate: object({ id: anyId, ...webhookSettingsProperties() }),
    WebhookReplace: requiring(ref('WebhookUpdate'), requiredOfPut),
  };
}

/** The create of a webhook of this entity, and all about the children of its webhooks. */
export function webhookSchemasOf(entity: EntityDefinition): Json {
  const kinds = childKinds.filter((child) => child.isOf(entity));
  const children = kinds.map((child): [string, Json] => [child.kind, arrayOf(ref(`${schemaOf(entity, child)}Create`))]);
  const { id: _given, ...settings } = object({ ...webhookSettingsProperties(), ...Object.fromEntries(children) });
  return {
    [`${entity.webhookSingular}Create`]: { ...settings, required: requiredOfCreate },
    ...Object.assign({}, ...kinds.map((child) => childSchemas(entity, child))),
  };
}

/** By which names bodies may call what a child is about, instead of by its id. */
const nameKeys: Readonly<Record<ChildKind['kind'], Json>> = {
  fields: { field: { type: 'string', description: 'The name of the field, instead of its id.' } },
  udfFields: { udfField: { type: 'string', description: 'The name or label of the field, instead of its id.' } },
  excludedResources: {},
};

function childSchemas(entity: EntityDefinition, child: ChildKind): Json {
  const name = schemaOf(entity, child);
  const fields = child.describe(entity, 'underWebhook', []);
  const readable = objectOfFields(fields, () => false);
  const properties = { ...(readable['properties'] as Json), ...nameKeys[child.kind] };
  const targets = [child.idKey, ...Object.keys(nameKeys[child.kind])];
  const create = { type: 'object', properties, anyOf: targets.map((target) => ({ required: [target] })) };
  return {
    [name]: readable,
    [`${name}Create`]: create,
    ...(child.parseUpdate !== null && {
      [`${name}Update`]: object(properties),
      [`${name}Replace`]: ref(`${name}Update`),
    }),
  };
}

function schemaOf(entity: EntityDefinition, child: ChildKind): string {
  return childCollections(entity)[child.kind].replace(/s$/, '');
}

/** Rows of the error log. */
export function errorLogSchemas(): Json {
  return { WebhookEventErrorLog: objectOfFields(errorLogMetadata, () => false) };
}
