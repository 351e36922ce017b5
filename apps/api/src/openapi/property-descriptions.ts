import type { Json } from './json-schema.ts';

/**
 * What properties mean, said once for all schemas that have them; a longer key, such as `Callout.id` or `attempts.url`,
 * wins over a shorter one. Fields of records are described by the catalogue instead.
 */
const meanings: Readonly<Record<string, string>> = {
  // Envelopes
  item: 'What was asked for.',
  items: 'The rows of this page.',
  'EntityEventAnswers.items': 'One for each event, in the order given.',
  pageDetails: 'How many rows there are, and where the other pages are.',
  itemId: 'The id of the record.',
  count: 'Rows of this page.',
  requestCount: 'The most rows that the page could have.',
  prevPageUrl: 'The address of the page before; null on the first.',
  nextPageUrl: 'The address of the page after; null on the last.',
  queryCount: 'How many rows the query finds.',
  details: 'The same with a code for programs, and the field where there is one.',
  'details.field': 'The key that is wrong; within a list with its place, such as fields[0].field.',
  message: 'A sentence for people.',
  warnings: 'What the caller may not have meant, a sentence each.',
  ignored: 'Keys that were not known, and left out.',

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

  // What happened to a webhook
  'WebhookChange.id': 'The id of the change.',
  changeDateTime: 'When it happened.',
  change: 'What changed.',
  cause: 'Why it changed.',
  'WebhookChange.resourceID': 'Which resource did it; null: none of the tenant did.',
  detail: 'More about the cause, in words.',

  // Events
  entityType: 'The type of entity, such as Account.',
  action: 'What was done to the record.',
  'EntityEvent.id': 'The id of the record.',
  'SupposedEvent.id': 'The id of the record.',
  eventTime: 'When it was done, in UTC; the moment of the request when it is left out.',
  events: 'The events, in the order in which they happened.',
  eventID: 'The id that its caller gave the event, else that of the service.',
  'Callout.eventID': 'The event that it is owed because of; null for tests and deactivation calls.',
  'CalloutDetails.eventID': 'The event that it is owed because of; null for tests and deactivation calls.',
  serviceEventID: 'The id that the service gave the event.',
  'items.status': 'What came of the event: accepted, known already, or without any change.',
  'SupposedEvent.fields': 'The values after the event, by name.',
  'SupposedEvent.userDefinedFields': 'The values of user-defined fields after the event, by name.',
  userDefinedFields: 'The user-defined fields of the record.',
  changedFields: 'The names of the fields that changed.',
  changedUserDefinedFields: 'The names of the user-defined fields that changed.',
  subscribedFields: 'The names of the fields that the webhook subscribes to.',
  subscribedUserDefinedFields: 'The names of the user-defined fields that the webhook subscribes to.',
  firedFields: 'The names of the changed fields that the webhook subscribes to.',
  firedUserDefinedFields: 'The names of the changed user-defined fields that the webhook subscribes to.',
  'LoggedEvent.state': 'Whether it has been matched with the webhooks.',
  'LoggedEventDetails.state': 'Whether it has been matched with the webhooks, or changed nothing.',
  'Explanation.state': 'Whether the event has been matched with the webhooks.',
  matchedDateTime: 'When it was matched with the webhooks; null: not yet.',
  verdicts: 'What came of it for each webhook of the entity.',
  owed: 'Whether the webhook is owed a callout; null: not decided yet.',
  rule: 'The rule that decided.',
  hasConfigurationChanged: 'Whether the webhook has been changed since it was decided.',
  'Explanation.rules': 'Each rule with its outcome; null when the configuration has changed since.',
  rules: 'Each rule with its outcome, in the order in which they are tried.',
  passed: 'Whether the rule was met.',
  callout: 'The callout that is owed; null: none.',

  // Callouts
  recordID: 'The id of the record; null for tests and deactivation calls.',
  'LoggedEvent.recordID': 'The id of the record.',
  'LoggedEventDetails.recordID': 'The id of the record.',
  resourceID: 'The resource that acted.',
  kind: 'Whether it is owed because of an event, is the call about a deactivation, or a test.',
  state: 'Where it is on its way: waiting, held, due, delivered, failed or cancelled.',
  sequenceNumber: 'Its number among those of the webhook, from 1 and without a gap.',
  'waitsFor.sequenceNumber': 'The number of the callout that it waits for; null where it waits for something else.',
  createDateTime: 'When it was made.',
  finishedDateTime: 'When it ended; null: it is open.',
  attemptsMade: 'How many requests were made for it.',
  nextAttemptDateTime: 'When it is tried again; null: not.',
  waitsFor: 'Why it is not delivered yet; null when it has ended.',
  reason: 'What it waits for.',
  cancelledBecause: 'Why it was cancelled; null: it was not.',
  'cancelledBecause.reason': 'Whether its webhook went inactive or was deleted, or a request cancelled it.',
  'waitsFor.since': 'Since when it waits for that; null: not known.',
  'waitsFor.until': 'Until when at most; null: not known.',
  body: 'The body, exactly as it is signed and sent.',
  attempts: 'Each request that was made for it, oldest first.',
  attempt: 'The request that was made; null: not in time, the worker makes it later.',
  pauses: 'When callouts to the webhook were held back while it was open.',
  number: 'Which attempt it was, from 1.',
  startDateTime: 'When the request began.',
  durationMs: 'How long it took, in milliseconds.',
  url: 'The address that was called.',
  'request.url': 'The address that would be called.',
  method: 'The method of the request.',
  headers: 'The headers of the request, signatures redacted.',
  requestHeaders: 'The headers that were sent, signatures redacted.',
  status: 'The status of the answer; null: no answer came.',
  responseHeaders: 'The headers of the answer; null: no answer came.',
  responseBody: 'The first 64 KiB of the answer; null: no answer came.',
  responseBodyEncoding: 'Whether responseBody is text or base64; null: no answer came.',
  note: 'Why the body of the answer was not read to its end; null: it was.',
  failureReason: 'Why no answer came, as a code; null: one came.',
  calloutID: 'The id of the callout.',

  // Checks and repairs
  getsCallouts: 'Whether callouts go out to it now.',
  reasons: 'Each reason why not, or why later.',
  'reasons.code': 'The reason, for programs.',
  since: 'Made then or later; null or left out: from the first.',
  until: 'Made before then; null or left out: to the last.',
  states: 'Only those that are in one of these states.',
  fromSequence: 'The lowest sequence number; null or left out: from the first.',
  toSequence: 'The highest sequence number; null or left out: to the last.',
  overlapHours: 'For how many hours the secret before signs too; 0 ends an overlap.',
  queued: 'How many callouts were opened again.',
  cancelled: 'How many callouts were cancelled.',

  // Thresholds and limits
  limit: 'First attempts that are allowed in any hour; 0: no limit.',
  used: 'First attempts in the last 3,600 seconds.',
  held: 'How many callouts the threshold holds.',
  oldestHeldDateTime: 'When the oldest held callout was made; null: none is held.',
  heldSinceDateTime: 'Since when callouts are held; null: none is.',
  externalRequestThreshold: 'Requests that are allowed in the timeframe; 0: no limit.',
  requestThresholdTimeframe: 'The timeframe in minutes.',
  currentTimeframeRequestCount: 'Requests that were counted in it.',

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
  value: 'The value.',

  // Error logs
  'WebhookEventErrorLog.id': 'The id of the row.',
  errorMessage: 'Why the last attempt failed, in words.',
  payload: 'The body that was not delivered.',
  accountWebhookID: 'The id of the webhook, for rows of company webhooks.',
  contactWebhookID: 'The id of the webhook, for rows of contact webhooks.',

  // Callout bodies
  Action: 'What was done to the record, or Deactivated.',
  EntityType: 'The type of entity, such as Account.',
  Fields: 'The values that go along.',
  EventTime: 'When it was done, in UTC.',

  // Service
  apiVersion: 'The version of the API.',
  apiVersions: 'The versions of the API.',
  majorVersion: 'The first number of the version.',
  minorVersion: 'The second number of the version.',
  build: 'The build of the service.',
  zoneName: 'The name of the zone.',
  'zone.url': 'The address that requests begin with.',
  webUrl: 'The address for browsers.',
  ci: 'The number of the zone.',

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
