import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';

export type Attention = Schemas['Attention'];

/** What needs attention, the most urgent first. */
export const attentionQuery = queryOptions({
  queryKey: ['overview', 'attention'],
  queryFn: async () => (await api.GET('/v1.0/Overview')).data.items,
});

/** How many webhooks the session sees. */
export const webhookCountQuery = queryOptions({
  queryKey: ['webhooks', 'count'],
  queryFn: async () => (await api.GET('/v1.0/Webhooks', { params: { query: { maxRecords: 1 } } })).data.totalCount,
});

/** The newest callouts that failed. */
export const failedCalloutsQuery = queryOptions({
  queryKey: ['overview', 'failed'],
  queryFn: async () => {
    const query = { state: 'failed', maxRecords: 10 };
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data.items;
  },
});

/** The newest callouts that are tried again. Not below 'overview': it need not be read again with every attempt. */
export const retriedCalloutsQuery = queryOptions({
  queryKey: ['retried'],
  queryFn: async () => {
    const query = { isFailing: 'true', maxRecords: 10 };
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data.items;
  },
  refetchInterval: 15_000,
});
