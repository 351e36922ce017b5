import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api } from '../../api/client.ts';

export type WebhookName = Pick<Schemas['ListedWebhook'], 'webhookID' | 'webhookGUID' | 'name'>;

/** The first 500 webhooks of an entity with their names, active ones first. */
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
