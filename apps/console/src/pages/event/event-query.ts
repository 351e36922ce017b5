import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

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

export function explanationQuery(eventID: string, webhookGUID: string) {
  return queryOptions({
    queryKey: ['event', eventID, 'explain', webhookGUID],
    queryFn: async () => {
      const params = { path: { eventID }, query: { webhookGUID } as never };
      const { data } = await api.GET('/v1.0/EntityEvents/{eventID}/explain', { params });
      if (!data) throw new Error('The API explained nothing.');
      return data.item;
    },
  });
}
