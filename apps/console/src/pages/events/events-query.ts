import { infiniteQueryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

export interface EventFilter {
  readonly eventID?: string;
  readonly entityType?: string;
  readonly recordID?: number;
}

const rowsOfPage = 50;

/** Events, newest first, page by page: each page ends before the oldest of the one above it. */
export function eventsQuery(filter: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ['events', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const until = pageParam === undefined ? {} : { until: pageParam };
      const query = { ...filter, ...until, maxRecords: rowsOfPage } as never;
      const { data } = await api.GET('/v1.0/EntityEvents/query', { params: { query } });
      return { items: data?.items ?? [] };
    },
    getNextPageParam: ({ items }) => (items.length === rowsOfPage ? items.at(-1)?.createDateTime : undefined),
    refetchInterval: 5_000,
  });
}
