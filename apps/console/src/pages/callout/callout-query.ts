import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Entity, pathOf, type WebhookAddress, webhookPath } from '../../api/entities.ts';
import { firstAfter, type SequenceRange } from './first-after.ts';

/** Where a callout is: below the webhook, as a portal may ask, or anywhere in the tenant. */
export interface CalloutAddress {
  readonly calloutID: string;
  /** Undefined: in the tenant, also of a deleted webhook. */
  readonly webhook: WebhookAddress | undefined;
}

async function readCallout({ calloutID, webhook }: CalloutAddress) {
  const { data } =
    webhook === undefined
      ? await api.GET('/v1.0/Callouts/{calloutID}', { params: { path: { calloutID } } })
      : await api.GET(webhookPath(webhook, '/Callouts/{calloutID}'), {
          params: { path: { id: webhook.id, calloutID } },
        });
  return data.item;
}

export type CalloutDetails = Awaited<ReturnType<typeof readCallout>>;

/** A callout with the attempts; read again while the callout is open. */
export function calloutQuery(address: CalloutAddress) {
  return queryOptions({
    queryKey: ['callout', address.calloutID],
    queryFn: () => readCallout(address),
    refetchInterval: ({ state }) => (state.data?.finishedDateTime === null ? 2_000 : false),
  });
}

const mostOfPage = 500;

/** The callouts of the record and webhook just before and after a callout; null: there is no such callout. */
export function neighboursQuery(entity: Entity, callout: CalloutDetails) {
  const { id, webhookID, recordID, sequenceNumber } = callout;
  const path = pathOf(entity.collection, '/v1.0/CompanyWebhooks/{id}/Callouts');
  const ofRecord = { kind: 'event', ...(recordID !== null && { recordID }) };
  const list = async (query: SequenceRange & { maxRecords: number }) =>
    (await api.GET(path, { params: { path: { id: webhookID }, query: { ...ofRecord, ...query } } })).data.items;
  return queryOptions({
    queryKey: ['callout', id, 'neighbours'],
    enabled: recordID !== null,
    retry: false,
    queryFn: async () => {
      const [before, next] = await Promise.all([
        list({ toSequence: sequenceNumber - 1, maxRecords: 1 }),
        firstAfter(sequenceNumber, (range) => list({ ...range, maxRecords: mostOfPage }), mostOfPage),
      ]);
      return { previous: before.at(0) ?? null, next };
    },
  });
}

/** Why the webhook got the callout, rule by rule; null: the session may not read events. */
export function causeQuery({ id, eventID, webhookGUID }: CalloutDetails) {
  return queryOptions({
    queryKey: ['callout', id, 'cause'],
    enabled: eventID !== null,
    retry: false,
    queryFn: async () => {
      const params = { path: { eventID: eventID ?? '' }, query: { webhookGUID } };
      return (await api.GET('/v1.0/EntityEvents/{eventID}/explain', { params })).data.item;
    },
  });
}
