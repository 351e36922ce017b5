import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { type WebhookAddress, webhookParams, webhookPath } from './entities.ts';

/** With what the keys of all queries of a webhook begin. */
export const keyOf = ({ entity, id }: WebhookAddress) => ['webhook', entity.type, id];

export function webhookQuery(address: WebhookAddress) {
  return queryOptions({
    queryKey: keyOf(address),
    queryFn: async () => (await api.GET(webhookPath(address, ''), { params: webhookParams(address) })).data.item,
  });
}
