import type { Catalogue, EntityDefinition, FieldDefinition } from '@callout/core/catalogue';
import type { BodyUse, DocumentedCollection } from './collections.ts';
import type { Description } from './description.ts';
import type { Json } from './json-schema.ts';

const ISO_TIME = '2026-01-15T09:30:00Z';

/** Values that read better than the name of their field. */
const niceValues: Readonly<Record<string, string>> = {
  companyName: 'Northwind',
  phone: '555-0100',
  firstName: 'Jo',
  lastName: 'Doe',
  title: 'The printer is on fire',
  description: 'It is on fire again',
};

const definition = {
  name: 'Tier',
  dataType: 'list',
  listValues: [
    { value: 1, label: 'Gold' },
    { value: 2, label: 'Silver' },
  ],
};

const webhook = {
  webhookUrl: 'https://hooks.example.com/callouts',
  deactivationUrl: 'https://hooks.example.com/deactivated',
  isActive: true,
};

/**
 * The body of an operation as an example that the API takes. `catalogue` decides its fields; undefined when the operation
 * takes no body. Updates of a whole collection name the record in the body, those of one record in the path.
 */
export function exampleOf(
  catalogue: Catalogue,
  request: Description['request'],
  collection: DocumentedCollection | undefined,
  hasIdInPath: boolean,
): unknown {
  // The next page is asked for without a body, as a rule.
  if (request === undefined || request === 'nextPage') return undefined;
  if (request === 'query') return { MaxRecords: 50, Filter: [{ op: 'gt', field: 'id', value: 0 }] };
  if (collection === undefined) return undefined;
  const body = bodyExample(catalogue, collection, request);
  return request === 'create' || hasIdInPath ? body : { id: 1, ...body };
}

function bodyExample(catalogue: Catalogue, collection: DocumentedCollection, use: BodyUse): Json {
  const { entity, child, kind } = collection;
  if (entity === undefined) return definitionExample(catalogue, use);
  if (kind === 'webhooks') return webhookExample(entity, use);
  if (child !== undefined) return childExample(collection, entity, use);
  return recordExample(entity, use);
}

function recordExample(entity: EntityDefinition, use: BodyUse): Json {
  const fields = entity.fields.filter((field) => field.name !== 'id');
  const writable = fields.filter((field) => !field.isReadOnly);
  if (use === 'update') return valuesOf(writable.filter((field) => field.dataType === 'string').slice(0, 1));
  return valuesOf((use === 'create' ? fields : writable).filter((field) => field.isRequired));
}

function webhookExample(entity: EntityDefinition, use: BodyUse): Json {
  if (use === 'update') return { notificationEmailAddress: 'ops@example.com' };
  const settings = { name: `crm.${entity.singular}.Update`, ...webhook, isSubscribedToUpdateEvents: true };
  if (use === 'replace') return { ...settings, sendThresholdExceededNotification: true };
  return {
    ...settings,
    secretKey: 'a secret of 10 characters or more',
    fields: [
      { field: supportedField(entity, 0).name, isSubscribedField: true },
      { field: supportedField(entity, 1).name, isDisplayAlwaysField: true },
    ],
  };
}

/** Under a webhook and at the root not the same, so that one can be tried after the other. */
function childExample({ kind, child }: DocumentedCollection, entity: EntityDefinition, use: BodyUse): Json {
  if (use !== 'create') return { isSubscribedField: true, isDisplayAlwaysField: true };
  const isTwin = kind === 'twins';
  const parent = isTwin ? { webhookID: 1 } : {};
  if (child?.kind === 'excludedResources') return { ...parent, resourceID: isTwin ? 2 : 1 };
  if (child?.kind === 'udfFields') {
    return { ...parent, udfField: isTwin ? 'Region' : 'Tier', isSubscribedField: true };
  }
  return { ...parent, fieldID: supportedField(entity, isTwin ? 3 : 2).fieldID, isSubscribedField: true };
}

function definitionExample({ entities }: Catalogue, use: BodyUse): Json {
  if (use !== 'create') return { label: 'Service tier' };
  return { entityType: entities.find((entity) => entity.hasUserDefinedFields)?.entityType ?? '', ...definition };
}

/** A batch of events, about the first two entities. */
export function eventsExample({ entities }: Catalogue): Json {
  const watched = entities.filter((entity) => entity.supportsWebhookCallouts);
  return {
    events: watched.slice(0, 2).map((entity, index) => ({
      eventID: `crm-20260115-${index + 1}`,
      entityType: entity.entityType,
      action: index === 0 ? 'Update' : 'Delete',
      id: 42 + index,
      resourceID: 1,
      eventTime: ISO_TIME,
      ...(index === 0 && { fields: valuesOf([supportedField(entity, 0), supportedField(entity, 1)]) }),
    })),
  };
}

/** The nth (from 0) field that webhooks of this entity support, or the last one. */
export function supportedField(entity: EntityDefinition, nth: number): FieldDefinition {
  const fields = entity.fields.filter((field) => field.isSupportedWebhookField);
  const field = fields[nth] ?? fields.at(-1) ?? entity.fields[0];
  if (field === undefined) throw new Error(`${entity.entityType} has no fields`);
  return field;
}

function valuesOf(fields: readonly FieldDefinition[]): Json {
  return Object.fromEntries(fields.map((field) => [field.name, exampleValue(field)]));
}

/** A value that the field takes, as typed JSON. */
export function exampleValue(field: FieldDefinition): unknown {
  const [choice] = field.picklistValues;
  if (choice !== undefined) return field.dataType === 'string' ? choice.value : Number(choice.value);
  if (field.dataType === 'boolean') return true;
  if (field.dataType === 'datetime') return ISO_TIME;
  if (field.dataType !== 'string') return 1;
  const text = field.name === 'email' ? 'jo@example.com' : (niceValues[field.name] ?? field.payloadKey);
  return field.length > 0 ? text.slice(0, field.length) : text;
}
