import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';
import { ranges, type Range } from './range.ts';

export type Attention = Schemas['Attention'];
export type DeliveryStatistics = Schemas['DeliveryStatistics'];

/** What needs attention, the most urgent first. */
export const attentionQuery = queryOptions({
  queryKey: ['overview', 'attention'],
  queryFn: async () => (await api.GET('/v1.0/Overview')).data?.items ?? [],
});

/** How many webhooks the session sees. */
export const webhookCountQuery = queryOptions({
  queryKey: ['webhooks', 'count'],
  queryFn: async () =>
    (await api.GET('/v1.0/Webhooks', { params: { query: { maxRecords: 1 } } })).data?.totalCount ?? 0,
});

/** What was delivered in a range that ends now, and what is owed. */
export function statisticsQuery(range: Range) {
  const { hours, refreshMs } = ranges[range];
  return queryOptions({
    // Not below 'overview': it counts minutes, so it need not be read again with every attempt.
    queryKey: ['statistics', range],
    queryFn: async () => {
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const { data } = await api.GET('/v1.0/Statistics', { params: { query: { from } } });
      if (!data) throw new Error('The API returned no statistics.');
      return data.item;
    },
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
}

/** The newest callouts that were given up. */
export const failedCalloutsQuery = queryOptions({
  queryKey: ['overview', 'failed'],
  queryFn: async () => {
    const query = { state: 'failed', maxRecords: 10 };
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data?.items ?? [];
  },
});

/** The newest callouts that are tried again. Not below 'overview': it need not be read again with every attempt. */
export const retriedCalloutsQuery = queryOptions({
  queryKey: ['retried'],
  queryFn: async () => {
    const query = { isFailing: 'true', maxRecords: 10 };
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data?.items ?? [];
  },
  refetchInterval: 15_000,
});
