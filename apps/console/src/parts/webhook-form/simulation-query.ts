import { ApiError } from '@callout/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathOf, type Entity } from '../../api/entities.ts';
import type { ReceiverDraft } from '../receiver-form/receiver-draft.ts';
import { createBody, type WebhookDraft } from './webhook-draft.ts';

export const sampleActions = ['Create', 'Update', 'Delete'] as const;
export type SampleAction = (typeof sampleActions)[number];

/** What an event of a sample record would make of the draft; null: the session may not ask. */
export function simulationQuery(entity: Entity, draft: WebhookDraft, receiver: ReceiverDraft, action: SampleAction) {
  const { fields, udfFields, ...settings } = createBody(draft);
  const body = {
    webhook: {
      isSubscribedToCreateEvents: settings.isSubscribedToCreateEvents,
      isSubscribedToUpdateEvents: settings.isSubscribedToUpdateEvents,
      isSubscribedToDeleteEvents: settings.isSubscribedToDeleteEvents,
      includePreviousValues: settings.includePreviousValues,
      payloadFormat: settings.payloadFormat,
      signatureKind: settings.signatureKind,
      ...namesOf(receiver),
      ...('alertFormat' in settings && alertOf(settings)),
      fields,
      ...(udfFields && { udfFields }),
    },
    event: { action },
  };
  return queryOptions({
    queryKey: ['simulate', entity.type, body],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      try {
        const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/simulate');
        return (await api.POST(path, { body: body as never })).data?.item ?? null;
      } catch (error) {
        // A portal for one webhook creates none.
        if (error instanceof ApiError && error.status === 403) return null;
        throw error;
      }
    },
  });
}

/** The names of the headers that its calls carry beside the signature. Their values are secrets, and a sample needs none. */
function namesOf({ auth, headers }: ReceiverDraft) {
  const isAuthorized = auth.kind === 'basic' || auth.kind === 'bearer' || auth.kind === 'oauth2';
  return {
    requestHeaders: headers.flatMap(({ name }) => (name.trim() === '' ? [] : [{ name, value: 'unseen' }])),
    // Which of these kinds it is does not show in a header.
    receiverAuth: isAuthorized ? { kind: 'bearer', token: 'unseen' } : { kind: 'none' },
  };
}

/** Without a key the simulation of a message for PagerDuty would be refused; it is not shown. */
function alertOf({ alertFormat }: Pick<WebhookDraft['settings'], 'alertFormat'>) {
  return { alertFormat, ...(alertFormat === 'pagerduty' && { alertRoutingKey: 'key' }) };
}
