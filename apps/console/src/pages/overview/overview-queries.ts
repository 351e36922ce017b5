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
