import type { Schemas } from '@callout/client';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { entities } from '../../api/entities.ts';
import { countIn, type Search, textIn, wordIn } from '../../parts/filter/search-filter.ts';

export const webhookStates = ['inactive', 'keyMissing', 'notReady', 'paused', 'failing', 'held', 'delivering'] as const;
const sorts = ['name', 'state', 'entityType', 'createDateTime'].flatMap((key) => [key, `-${key}`]);

export type ListedWebhook = Schemas['ListedWebhook'];

export const rowsOfPage = 50;

export interface WebhookFilter {
  /** Part of the name or of the URL. */
  readonly search: string | undefined;
  readonly state: (typeof webhookStates)[number] | undefined;
  readonly entityType: string | undefined;
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

export const filterOf = (search: Search): WebhookFilter => ({
  search: textIn(search['search']),
  state: wordIn(webhookStates, search['state']),
  entityType: wordIn(
    entities.map(({ type }) => type),
    search['entityType'],
  ),
  sort: wordIn(sorts, search['sort']) ?? 'name',
  page: countIn(search['page']) ?? 1,
});

/** A page of the webhooks visible to the caller, of all entities or of a single entity. */
export function webhooksQuery({ page, ...filter }: WebhookFilter) {
  return queryOptions({
    queryKey: ['webhooks', 'list', filter, page],
    queryFn: async () => {
      const narrowed = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const query = { ...narrowed, maxRecords: rowsOfPage, skip: (page - 1) * rowsOfPage };
      return (await api.GET('/v1.0/Webhooks', { params: { query } })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
}
