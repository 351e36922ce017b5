import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entities, pathOf } from '../../api/entities.ts';

const all = { Filter: [{ op: 'gte' as const, field: 'id', value: 0 }], MaxRecords: 100 };

/** The webhooks of all entities, the first hundred of each. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => {
    const pages = await Promise.all(
      entities.map(async (entity) => {
        const { data } = await api.POST(pathOf(entity.collection, '/v1.0/CompanyWebhooks/query'), { body: all });
        return (data?.items ?? []).map((webhook) => ({ entity, webhook }));
      }),
    );
    return pages.flat();
  },
});
