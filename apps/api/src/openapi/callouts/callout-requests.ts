import { z } from 'zod';
import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { emptyFieldValues, toWireValue } from '@callout/domain/values/values';
import { chainStart } from '@callout/domain/callout/chain';
import { digestStates } from '@callout/domain/callout/digest';
import { calloutBody, type CalloutEnvelope } from '@callout/domain/callout/callout-body';
import { exampleValue, supportedField } from '../../http/operation/example-values.ts';
import type { Tag } from '../../http/operation/tags.ts';
import { CALLOUT_ID, headersOf, SENT_AT, type CalloutHeader } from './callout-headers.ts';
import { calloutForms, type CalloutForms } from './typed-callouts.ts';
import { fieldText, guid, moment, text } from '../../http/operation/wire-types.ts';

/** The tag of requests to receivers; it has no operation of this API. */
export const receiverTag: Tag = {
  name: 'What your receiver gets',
  group: 'Receive',
  description: 'The signed requests that go to the webhookUrl and the deactivationUrl of a webhook.',
};

const GUID = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';

/** The meaning of a receiver's response, by its status. */
export const receiverResponses = {
  '2XX': { description: 'Received. The body is not looked at.' },
  '410': { description: 'The receiver is gone: the webhook is deactivated at once.' },
  default: {
    description:
      'Not received, as is a redirect or no answer in time: it is tried again later, after Retry-After where a 429 or 503 has one.',
  },
};

/** A request that receivers get. */
export interface CalloutRequest {
  readonly name: string;
  /** A good name for a method. */
  readonly operationId: string;
  readonly summary: string;
  /** Of the body. */
  readonly schema: z.ZodType;
  /** A body, exactly as it is sent. */
  readonly body: string;
  /** The same in the other formats. */
  readonly forms: CalloutForms;
  /** With the values that they have for this body. */
  readonly headers: readonly CalloutHeader[];
}

/** The requests that receivers get: one for each entity, the deactivation call, and the digest. */
export function calloutRequests({ watched }: Catalogue): CalloutRequest[] {
  const [first] = watched;
  const others = first === undefined ? [] : [deactivation(first, watched), digest(first, watched)];
  return [...watched.map(calloutOf), ...others];
}

const fieldValue = text.nullable();

function fieldsSchema(entity: EntityDefinition): z.ZodType {
  const supported = entity.fields.filter((field) => field.isSupportedWebhookField);
  return z
    .object(
      Object.fromEntries(
        supported.map(({ description, payloadKey }) => [payloadKey, fieldValue.describe(description).optional()]),
      ),
    )
    .catchall(fieldText)
    .meta({
      id: `${entity.singular}CalloutFields`,
      description:
        'Values as text, null = known to be empty, by name with a capital first letter; user-defined fields by their label. An update has the changed subscribed fields and the always displayed ones; a deletion has none.',
    });
}

function bodySchema(
  id: string,
  actions: readonly string[],
  entities: readonly EntityDefinition[],
  fields: z.ZodType,
  others: z.ZodRawShape = {},
): z.ZodType {
  return z
    .object({
      Action: z.enum(actions).describe('What was done to the record, Deactivated or Digest.'),
      Guid: guid.describe('The webhookGUID.'),
      EntityType: z.enum(entities.map((entity) => entity.entityType)).describe('The type of entity, such as Account.'),
      Id: z
        .int()
        .meta({ format: 'int64' })
        .describe('The record; 0 in a test, the webhook in a deactivation call and a digest.'),
      Fields: fields,
      EventTime: moment.describe('When it happened, in UTC.'),
      SequenceNumber: z
        .int()
        .meta({ format: 'int64' })
        .describe(
          'From 1 per webhook without gaps: a number that never arrives is a callout that you did not get. 0 in a test.',
        ),
      PersonID: z.int().nullable().describe('Who did it; null: it was automatic.'),
      ...others,
    })
    .meta({ id });
}

function calloutOf(entity: EntityDefinition): CalloutRequest {
  const fields = emptyFieldValues();
  const shown = [supportedField(entity, 0), supportedField(entity, 1)];
  for (const field of shown) {
    const wire = toWireValue(field, exampleValue(field));
    fields[field.payloadKey] = wire.ok ? wire.value : null;
  }
  const envelope = { ...sample(entity), action: 'Update', recordId: 42, personId: 1 } as const;
  const body = calloutBody(envelope, fields);
  const ofFields = fieldsSchema(entity);
  const schema = bodySchema(
    `${entity.singular}Callout`,
    ['Create', 'Update', 'Delete'],
    [entity],
    ofFields.describe('The values of the fields.'),
    {
      PreviousFields: ofFields
        .describe('Only with includePreviousValues: what the changed subscribed fields were before.')
        .optional(),
    },
  );
  const one = spacedWords(entity.singular);
  const summary = `A ${one} was created, updated or deleted`;
  return {
    name: one.replaceAll(' ', '-'),
    operationId: `receive${entity.singular}Callout`,
    summary,
    schema,
    body,
    forms: calloutForms({
      ...{ name: entity.singular, actions: ['Create', 'Update', 'Delete'], entities: [entity] },
      envelope: { ...envelope, id: CALLOUT_ID },
      fields: shown,
    }),
    headers: headersOf(body, 'Update'),
  };
}

function deactivation(entity: EntityDefinition, entities: readonly EntityDefinition[]): CalloutRequest {
  const fields = emptyFieldValues();
  const envelope = { ...sample(entity), action: 'Deactivated', recordId: 1, personId: null } as const;
  const body = calloutBody(envelope, fields);
  const noFields = z.object({}).meta({ maxProperties: 0 }).describe('None.');
  const schema = bodySchema('DeactivationCallout', ['Deactivated'], entities, noFields);
  const summary = 'Sent to deactivationUrl: the webhook became inactive or was deleted';
  const forms = ownForms('Deactivation', entity, entities, envelope);
  return {
    name: 'deactivated',
    operationId: 'receiveDeactivation',
    summary,
    schema,
    body,
    forms,
    headers: headersOf(body),
  };
}

const number = z.int().meta({ format: 'int64' });
const value = text.describe('A value of the chain: SHA-256 in lower-case hex.');
const run = {
  From: number.describe('The first of consecutive numbers with this state.'),
  To: number.describe('The last of them.'),
};

const digestContent = z
  .object({
    FirstSequenceNumber: number.describe('The first number that the digest covers.'),
    LastSequenceNumber: number.describe('The last; one less than the first: it covers none, and only has Earlier.'),
    Count: number.describe('How many callouts the digest covers.'),
    PreviousChain: value.describe('The value of the chain before the first number: Chain of the digest before it.'),
    Chain: value.describe('The value of the chain at the last number.'),
    NotDelivered: z
      .array(
        z.object({
          ...run,
          State: z.enum(digestStates).describe('Why they were not delivered here.'),
          ChainBefore: value.describe('The value of the chain before the first of them.'),
          ChainAfter: value.describe('The value of the chain at the last of them.'),
        }),
      )
      .describe('Every number that was not delivered; the others of the digest were.'),
    Earlier: z
      .array(
        z.object({
          ...run,
          State: z.enum(digestStates).describe('How they ended.'),
        }),
      )
      .describe('Numbers that an earlier digest called open and that have ended since.'),
  })
  .meta({ id: 'DigestContent' });

function digest(entity: EntityDefinition, entities: readonly EntityDefinition[]): CalloutRequest {
  const exampleOf = (digit: string) => digit.repeat(64);
  const envelope = {
    ...sample(entity),
    action: 'Digest',
    recordId: 1,
    personId: null,
    digest: {
      firstSequenceNumber: 1,
      lastSequenceNumber: 6,
      previousChain: chainStart,
      chain: exampleOf('6'),
      notDelivered: [{ from: 3, to: 4, state: 'failed', chainBefore: exampleOf('2'), chainAfter: exampleOf('4') }],
      earlier: [],
    },
  } as const;
  const body = calloutBody(envelope, emptyFieldValues());
  const noFields = z.object({}).meta({ maxProperties: 0 }).describe('None.');
  const content = { Digest: digestContent.describe('Which callouts were delivered.') };
  const schema = bodySchema('DigestCallout', ['Digest'], entities, noFields, content);
  const summary = 'Sent every hour or day where digestEvery says so: which callouts were delivered';
  const forms = ownForms('Digest', entity, entities, envelope);
  return { name: 'digest', operationId: 'receiveDigest', summary, schema, body, forms, headers: headersOf(body) };
}

/** The other formats of a callout about the webhook itself. */
function ownForms(
  name: string,
  entity: EntityDefinition,
  entities: readonly EntityDefinition[],
  envelope: CalloutEnvelope,
): CalloutForms {
  const others = entities.filter((one) => one !== entity);
  return calloutForms({
    ...{ name, actions: [envelope.action], entities: [entity, ...others], fields: [] },
    envelope: { ...envelope, id: CALLOUT_ID },
  });
}

function sample({ entityType }: EntityDefinition) {
  return { webhookGuid: GUID, entityType, eventTime: SENT_AT, sequenceNumber: 7 };
}
