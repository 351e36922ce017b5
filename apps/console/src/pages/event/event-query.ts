import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';

export type EventDetails = Schemas['LoggedEventDetails'];

export function eventQuery(eventID: string) {
  return queryOptions({
    queryKey: ['event', eventID],
    queryFn: async () => (await api.GET('/v1.0/EntityEvents/{eventID}', { params: { path: { eventID } } })).data.item,
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? 1_000 : 10_000),
  });
}

/** Why a webhook got a callout, or got no callout. */
export function explanationQuery(eventID: string, webhookGUID: string) {
  return queryOptions({
    queryKey: ['event', eventID, 'explain', webhookGUID],
    queryFn: async () => {
      const params = { path: { eventID }, query: { webhookGUID } };
      return (await api.GET('/v1.0/EntityEvents/{eventID}/explain', { params })).data.item;
    },
  });
}
