import type { Json } from './json-schema.ts';

/**
 * What properties mean that no route declares with its schema, said once for all that have them; a longer key, such as `Callout.id` or `attempts.url`,
 * wins over a shorter one. Fields of records are described by the catalogue instead.
 */
const meanings: Readonly<Record<string, string>> = {
  // Envelopes
  item: 'What was asked for.',
  items: 'The rows of this page.',
  pageDetails: 'How many rows there are, and where the other pages are.',
  ignored: 'Names of the query that mean nothing; absent: none.',
  warnings: 'What the caller may not have meant, a sentence each; absent: nothing.',
  details: 'The same with a code for programs, and the field where there is one.',
  'details.field': 'The key that is wrong; within a list with its place, such as fields[0].field.',
  message: 'A sentence for people.',

  // Metadata
  info: 'What the collection can, and what the caller may do there.',
  'info.name': 'The name of the entity.',
  canCreate: 'Whether the caller may create.',
  canDelete: 'Whether the caller may delete.',
  canQuery: 'Whether the caller may read and query.',
  canUpdate: 'Whether the caller may update.',
  hasUserDefinedFields: 'Whether tenants can add fields to it.',
  supportsWebhookCallouts: 'Whether webhooks can subscribe to it.',
  fields: 'One for each field.',
  'fields.name': 'The name of the field, as bodies and filters have it.',
  'fields.description': 'What the field is for, as the tenant put it.',
  'fields.label': 'What people call the field.',
  defaultValue: 'The value of a new record that is given none.',
  fieldID: 'The number of the field, by which the fields of webhooks name it.',
  'fields.dataType': 'The type of its values.',
  isRequired: 'Whether a create must have it.',
  isReadOnly: 'Whether writes leave it as it is.',
  isQueryable: 'Whether filters can name it.',
  isReference: 'Whether its value is the id of another record.',
  referenceEntityType: 'What kind of record that is; empty when it is no reference.',
  isPickList: 'Whether its value is one of a list.',
  picklistValues: 'The values of the list; null when it has none, empty when any value is taken.',
  'picklistValues.value': 'What is stored.',
  'picklistValues.label': 'What people see.',
  isDefaultValue: 'Whether it is the value of a new record.',
  sortOrder: 'The place in the list.',
  parentValue: 'The value of the other field with which it can be chosen; empty: with any.',
  'picklistValues.isActive': 'Whether it can be chosen.',
  isSystem: 'Whether it comes with the service and not from the tenant.',
  picklistParentValueField: 'The field whose value decides which values can be chosen; empty: none.',
  isSupportedWebhookField: 'Whether webhooks can subscribe to it.',

  // Queries
  MaxRecords: 'The most rows of a page.',
  IncludeFields: 'The fields that the rows have; all when it is left out.',
  Filter: 'Conditions that must all hold.',
  op: 'How the field is compared, or and / or for a group.',
  'Condition.field': 'The field that is compared, by its name; left out in a group.',
  'Condition.value': 'What it is compared with; a list for in and notIn; left out by exist and notExist.',
  udf: 'Whether the field is a user-defined one.',

  // Webhooks
  'Webhook.id': 'The id of the webhook.',
  webhookID: 'The id of the webhook.',
  webhookGUID: 'The GUID of the webhook: the Guid in its callouts.',
  'Webhook.name': 'What its owner calls it.',
  'WebhookUpdate.name': 'What its owner calls it.',
  'WebhookCreate.name': 'What its owner calls it.',
  webhookUrl: 'Where its callouts go.',
  deactivationUrl: 'What is told when it becomes inactive or is deleted.',
  isActive: 'Whether changes make callouts for it.',
  isReady: 'Whether it has a field, a user-defined one too, or subscribes to deleted records alone.',
  isSubscribedToCreateEvents: 'Whether created records make callouts.',
  isSubscribedToUpdateEvents: 'Whether changes of its subscribed fields make callouts.',
  isSubscribedToDeleteEvents: 'Whether deleted records make callouts.',
  notificationEmailAddress: 'Who gets mail about it beside its owner; null: nobody.',
  secretKey: 'What signs its callouts, 1 to 64 characters; it is never returned and reads as asterisks.',
  sendThresholdExceededNotification: 'Whether mail goes out when the threshold holds its callouts.',
  'WebhookCreate.fields': 'The fields that it begins with.',
  udfFields: 'The user-defined fields that it begins with.',
  excludedResources: 'The resources whose changes it leaves out, to begin with.',
  isSubscribedField: 'Whether a change of the field makes a callout.',
  isDisplayAlwaysField: 'Whether the value of the field goes along with every callout.',
  udfFieldID: 'The id of the definition of the user-defined field.',

  // Events
  entityType: 'The type of entity, such as Account.',
  userDefinedFields: 'The user-defined fields of the record.',

  // Callouts
  sequenceNumber: 'Its number among those of the webhook, from 1 and without a gap.',
  createDateTime: 'When it was made.',

  // User-defined fields
  'UserDefinedFieldDefinition.id': 'The id of the definition.',
  'UserDefinedFieldDefinition.entityType': 'The entity that has the field.',
  'UserDefinedFieldDefinitionCreate.entityType': 'The entity that has the field.',
  'UserDefinedFieldDefinition.name': 'The name of the field, unique within the entity.',
  'UserDefinedFieldDefinitionCreate.name': 'The name of the field, unique within the entity.',
  'UserDefinedFieldValue.name': 'The name of the field.',
  'UserDefinedFieldInput.name': 'The name of the field.',
  dataType: 'The type of its values.',
  listValues: 'The values of a list.',
  'listValues.value': 'What is stored.',
  'listValues.label': 'What people see.',

  // Error logs
  'WebhookEventErrorLog.id': 'The id of the row.',
  errorMessage: 'Why the last attempt failed, in words.',
  payload: 'The body that was not delivered.',

  // Callout bodies
  Action: 'What was done to the record, or Deactivated.',
  EntityType: 'The type of entity, such as Account.',
  Fields: 'The values that go along.',
  EventTime: 'When it was done, in UTC.',

  id: 'The id of the row.',
};

/** What placeholders of paths mean. */
export const placeholderMeanings: Readonly<Record<string, string>> = {
  id: 'The id of the record.',
  parentId: 'The id of the record that those of the collection belong to.',
  calloutID: 'The id of the callout: the webhook-id of its requests.',
  eventID: 'The eventID of its caller, or that of the service.',
};

/** The schema `name` with a description for each of its properties, also within others, that had none. */
export function withMeanings(name: string, schema: Json): Json {
  return describedIn([name], schema);
}

function describedIn(path: readonly string[], schema: Json): Json {
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties as Readonly<Record<string, Json>>).map(([key, property]) => {
          const inner = describedIn([...path, key], property);
          const meaning = inner['description'] ?? meaningOf(path, key);
          return [key, meaning === undefined ? inner : { ...inner, description: meaning }];
        }),
      ),
    }),
    ...(isObject(items) && { items: describedIn(path, items) }),
    ...(Array.isArray(anyOf) && { anyOf: (anyOf as Json[]).map((one) => describedIn(path, one)) }),
  };
}

/** By the schema or the property that it is in, where that makes a difference. */
function meaningOf(path: readonly string[], key: string): string | undefined {
  const within = path.at(-1) ?? '';
  const kind = /Webhook(?:Create|Field|UdfField|ExcludedResource)/.exec(within)?.[0];
  const keys = [`${within}.${key}`, ...(kind === undefined ? [] : [`${kind}.${key}`]), key];
  return keys.map((one) => meanings[one]).find((meaning) => meaning !== undefined);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
