import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entities, pathOf, type Entity } from '../../api/entities.ts';

/** Of each entity, so that a list of ten thousand opens as quickly as one of ten. */
const mostOfEach = 100;

export interface WebhookFilter {
  /** Part of the name or of the URL. */
  readonly text: string;
  /** Undefined: all. */
  readonly entityType: string | undefined;
}

/** The webhooks that the caller may see, of all entities or of one, by the name or URL. */
export function webhooksQuery({ text, entityType }: WebhookFilter) {
  const wanted = entities.filter(({ type }) => entityType === undefined || type === entityType);
  return queryOptions({
    queryKey: ['webhooks', text, entityType],
    queryFn: async () => {
      const pages = await Promise.all(wanted.map((entity) => pageOf(entity, text)));
      return { rows: pages.flatMap(({ rows }) => rows), hasMore: pages.some(({ hasMore }) => hasMore) };
    },
  });
}

async function pageOf(entity: Entity, text: string) {
  const matching = (['name', 'webhookUrl'] as const).map((field) => ({ op: 'contains' as const, field, value: text }));
  const filter = text === '' ? { op: 'gte' as const, field: 'id', value: 0 } : { op: 'or' as const, items: matching };
  const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks/query'), {
    body: { Filter: [filter], MaxRecords: mostOfEach },
  });
  const webhooks = data?.items ?? [];
  return { rows: webhooks.map((webhook) => ({ entity, webhook })), hasMore: webhooks.length === mostOfEach };
}
