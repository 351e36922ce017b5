import type { Catalogue, EntityDefinition } from '@callout/core/catalogue';
import { calloutHeaders, prepareSecret } from '@callout/core/deliver';
import { type Action, emptyFieldValues, toWireValue } from '@callout/core/ingest';
import { calloutBody } from '@callout/core/match';
import { words } from './collections.ts';
import type { OpenApiDocument, Parameter, PathItem } from './document-types.ts';
import { exampleValue, supportedField } from './examples.ts';
import { object, orNull, ref, type Json } from './json-schema.ts';
import { jsonContent } from './responses.ts';
import { receiverTag } from './tags.ts';

const GUID = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';
const SENT_AT = new Date('2026-01-15T09:30:00Z');
const text: Json = { type: 'string' };

/** What the headers of a callout are for. Content-Type and User-Agent are every client's. */
const headerDescriptions: Readonly<Record<string, string>> = {
  'X-Hook-Attempt': 'Which attempt this is, from 1.',
  'X-Hook-Callout-Type':
    'PUT for a created record, PATCH for an updated, DELETE for a deleted one: the subscription that it is owed to. Absent in deactivation calls.',
  'X-Hook-Event-Id': 'The event that it is owed because of. Absent in tests and deactivation calls.',
  'X-Hook-Test': 'true in a test that somebody asked for: sample values, Id 0 and SequenceNumber 0. Absent otherwise.',
  'webhook-id': 'The same for every attempt of a callout: drop what you have seen.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    'Standard Webhooks: v1, and base64 of HMAC-SHA256 over webhook-id.webhook-timestamp.body with the secretKey (for a whsec_ key its decoded bytes); two of them, with a space between, while a secret is rotated.',
  'X-Hook-Signature':
    'sha1= and base64 of HMAC-SHA1 over the body, with the text of the secretKey; with the old one while a secret is rotated.',
};

const responses = {
  '2XX': { description: 'Received. The body is not looked at.' },
  '410': { description: 'The receiver is gone: the webhook is deactivated at once.' },
  default: {
    description:
      'Not received, as is a redirect or no answer in time: it is tried again later, after Retry-After where a 429 or 503 has one.',
  },
};

/** The requests that receivers get, as the `webhooks` of the document: one for each entity, and the deactivation call. */
export function calloutWebhooks(catalogue: Catalogue): OpenApiDocument['webhooks'] {
  const watched = catalogue.entities.filter((entity) => entity.supportsWebhookCallouts);
  const [first] = watched;
  return Object.fromEntries([
    ...watched.map((entity): [string, PathItem] => [words(entity.singular).replaceAll(' ', '-'), calloutOf(entity)]),
    ...(first === undefined ? [] : [['deactivated', deactivation(first)] as const]),
  ]);
}

/** The bodies of callouts and their `Fields`. */
export function calloutSchemas(catalogue: Catalogue): Json {
  const watched = catalogue.entities.filter((entity) => entity.supportsWebhookCallouts);
  return Object.fromEntries([
    ...watched.flatMap((entity) => [
      [`${entity.singular}CalloutFields`, fieldsOf(entity)],
      [
        `${entity.singular}Callout`,
        bodySchema(['Create', 'Update', 'Delete'], [entity], ref(`${entity.singular}CalloutFields`)),
      ],
    ]),
    ['DeactivationCallout', bodySchema(['Deactivated'], watched, { type: 'object', maxProperties: 0 })],
  ]);
}

function fieldsOf(entity: EntityDefinition): Json {
  const supported = entity.fields.filter((field) => field.isSupportedWebhookField);
  return {
    type: 'object',
    description:
      'Values as text, null = known to be empty, by name with a capital first letter; user-defined fields by their label. An update has the changed subscribed fields and those that always go along; a deletion none.',
    properties: Object.fromEntries(
      supported.map(({ name, payloadKey }) => [
        payloadKey,
        { type: ['string', 'null'], description: `The field ${name}.` },
      ]),
    ),
    additionalProperties: { type: ['string', 'null'] },
  };
}

function bodySchema(actions: readonly string[], entities: readonly EntityDefinition[], fields: Json): Json {
  const properties = {
    Action: { type: 'string', enum: actions },
    Guid: { type: 'string', format: 'uuid', description: 'The webhookGUID' },
    EntityType: { type: 'string', enum: entities.map((entity) => entity.entityType) },
    Id: {
      type: 'integer',
      format: 'int64',
      description: 'The record; 0 in a test, the webhook in a deactivation call',
    },
    Fields: fields,
    EventTime: { type: 'string', format: 'date-time' },
    SequenceNumber: {
      type: 'integer',
      format: 'int64',
      description:
        'From 1 per webhook and without a gap: a number that never comes is a callout that you did not get. 0 in a test',
    },
    PersonID: { ...orNull({ type: 'integer' }), description: 'Who did it; null = nobody did, it was automatic' },
  };
  return object(properties, Object.keys(properties));
}

function calloutOf(entity: EntityDefinition): PathItem {
  const fields = emptyFieldValues();
  for (const field of [supportedField(entity, 0), supportedField(entity, 1)]) {
    const wire = toWireValue(field, exampleValue(field));
    fields[field.payloadKey] = wire.ok ? wire.value : null;
  }
  const body = calloutBody({ ...sample(entity), action: 'Update', recordId: 42, personId: 1, fields });
  return webhookOf(
    `A ${words(entity.singular)} was created, updated or deleted`,
    `${entity.singular}Callout`,
    body,
    'Update',
  );
}

function deactivation(entity: EntityDefinition): PathItem {
  const fields = emptyFieldValues();
  const body = calloutBody({ ...sample(entity), action: 'Deactivated', recordId: 1, personId: null, fields });
  return webhookOf('Sent to deactivationUrl: the webhook became inactive or was deleted', 'DeactivationCallout', body);
}

function sample({ entityType }: EntityDefinition) {
  return { webhookGuid: GUID, entityType, eventTime: SENT_AT, sequenceNumber: 7 };
}

function webhookOf(summary: string, schema: string, body: string, action?: Action): PathItem {
  return {
    post: {
      tags: [receiverTag.name],
      summary,
      parameters: headersOf(body, action),
      requestBody: { required: true, content: jsonContent(ref(schema), JSON.parse(body)) },
      responses,
    },
  };
}

/**
 * By the function that makes them, with the values they have for this body and a secret made up.
 * What is sent to a `webhookUrl` may be a test, which has a header of its own and no event.
 */
function headersOf(body: string, action?: Action): Parameter[] {
  const mayBeTest = action !== undefined;
  const headers = calloutHeaders({
    secretKeys: { current: prepareSecret('a secret of 10 characters or more') },
    calloutId: '019bc0de-0000-7000-8000-000000000007',
    attemptNumber: 1,
    action,
    eventId: mayBeTest ? 'crm-20260115-1' : undefined,
    isTest: mayBeTest,
    body: Buffer.from(body),
    now: SENT_AT,
    userAgent: 'Callout',
  });
  return Object.entries(headers)
    .filter(([name]) => name !== 'Content-Type' && name !== 'User-Agent')
    .map(([name, example]) => ({
      name,
      in: 'header' as const,
      required: name !== 'X-Hook-Event-Id' && name !== 'X-Hook-Test',
      description: headerDescriptions[name] ?? '',
      schema: text,
      example,
    }));
}
