import type { Catalogue, EntityDefinition } from '@callout/domain/catalogue/catalogue';
import { spacedWords } from '@callout/domain/catalogue/names';
import { actions } from '@callout/domain/event';
import { supportedField } from '../../http/operation/example-values.ts';
import type { Tag } from '../../http/operation/tags.ts';
import { CALLOUT_ID, headersOf, SENT_AT, type CalloutHeader } from './callout-headers.ts';
import { calloutForms, exampleBody, type CalloutForms, type DescribedCallout } from './callout-forms.ts';

/** The tag of requests to receivers; the tag has no operation of the API. */
export const receiverTag: Tag = {
  name: 'What your receiver gets',
  group: 'Receive',
  description: 'The signed requests that go to the webhookUrl and the deactivationUrl of a webhook.',
};

const GUID = '3f0c8a52-6b1d-4a5e-9c0f-2f7f0f1b9d11';

/** The meaning of a receiver's response, by status. */
export const receiverResponses = {
  '2XX': { description: 'Received. The body is not looked at.' },
  '410': { description: 'The receiver is gone: the webhook is deactivated at once.' },
  default: {
    description:
      'Not received, as is a redirect or no answer in time: it is tried again later, after Retry-After where a 429 or 503 has one.',
  },
};

/** A request to receivers. */
export interface CalloutRequest {
  readonly name: string;
  /** A good name for a method. */
  readonly operationId: string;
  readonly summary: string;
  /** The body in each format. */
  readonly forms: CalloutForms;
  /** Headers with the values for the body. */
  readonly headers: readonly CalloutHeader[];
}

/** The requests to receivers: a request for each entity, and the deactivation call. */
export function calloutRequests({ watched }: Catalogue): CalloutRequest[] {
  const [first, ...furtherEntities] = watched;
  const ofWebhooks = first === undefined ? [] : [deactivation(first, furtherEntities)];
  return [...watched.map(calloutOf), ...ofWebhooks];
}

function calloutOf(entity: EntityDefinition): CalloutRequest {
  const one = spacedWords(entity.singular);
  return requestOf({
    name: one.replaceAll(' ', '-'),
    operationId: `receive${entity.singular}Callout`,
    summary: `A ${one} was created, updated or deleted`,
    described: {
      name: entity.singular,
      actions,
      entities: [entity],
      envelope: { ...sample(entity), action: 'Update', recordId: 42, personId: 1 },
      fields: [supportedField(entity, 0), supportedField(entity, 1)],
    },
  });
}

function deactivation(first: EntityDefinition, furtherEntities: readonly EntityDefinition[]): CalloutRequest {
  return requestOf({
    name: 'deactivated',
    operationId: 'receiveDeactivation',
    summary: 'Sent to deactivationUrl: the webhook became inactive or was deleted',
    described: {
      name: 'Deactivation',
      actions: ['Deactivated'],
      entities: [first, ...furtherEntities],
      envelope: { ...sample(first), action: 'Deactivated', recordId: 1, personId: null },
      fields: [],
    },
  });
}

function requestOf({ described, ...request }: Omit<CalloutRequest, 'forms' | 'headers'> & Described): CalloutRequest {
  const { entities, fields, envelope } = described;
  const body = exampleBody(entities[0], fields, 'reference', envelope);
  const headers = headersOf(body, fields.length === 0 ? undefined : 'Update');
  return { ...request, forms: calloutForms(described), headers };
}

interface Described {
  readonly described: DescribedCallout;
}

function sample({ entityType }: EntityDefinition) {
  return { id: CALLOUT_ID, webhookGuid: GUID, entityType, eventTime: SENT_AT, sequenceNumber: 7 };
}
