import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';

export type EventDetails = Schemas['LoggedEventDetails'];
export type WebhookName = Pick<Schemas['ListedWebhook'], 'webhookID' | 'webhookGUID' | 'name'>;

export function eventQuery(eventID: string) {
  return queryOptions({
    queryKey: ['event', eventID],
    queryFn: async () => {
      const { data } = await api.GET('/v1.0/EntityEvents/{eventID}', { params: { path: { eventID } } });
      if (!data) throw new Error(`There is no event ${eventID}.`);
      return data.item;
    },
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? 1_000 : 10_000),
  });
}

/** Why a webhook got a callout, or none. */
export function explanationQuery(eventID: string, webhookGUID: string) {
  return queryOptions({
    queryKey: ['event', eventID, 'explain', webhookGUID],
    queryFn: async () => {
      const params = { path: { eventID }, query: { webhookGUID } };
      const { data } = await api.GET('/v1.0/EntityEvents/{eventID}/explain', { params });
      if (!data) throw new Error('The API gave no explanation.');
      return data.item;
    },
  });
}

/** The webhooks of an entity by name; active ones come first, so those that are left out are old. */
export function webhookNamesQuery(entityType: string | undefined) {
  return queryOptions({
    queryKey: ['webhooks', 'names', entityType],
    enabled: entityType !== undefined,
    queryFn: async (): Promise<readonly WebhookName[]> => {
      const query = { ...(entityType !== undefined && { entityType }), sort: '-state', maxRecords: 500 };
      return (await api.GET('/v1.0/Webhooks', { params: { query } })).data?.items ?? [];
    },
    staleTime: 60_000,
  });
}
