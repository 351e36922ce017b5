import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** How many callouts are in these states; since a moment, or all that there are. */
export function countQuery(states: string, sinceHours: number | null) {
  return queryOptions({
    queryKey: ['callouts', 'count', states, sinceHours],
    queryFn: async () => {
      const since = sinceHours === null ? {} : { since: new Date(Date.now() - sinceHours * 3_600_000).toISOString() };
      const query = { state: states, ...since } as never;
      return (await api.GET('/v1.0/Callouts/query/count', { params: { query } })).data?.queryCount ?? 0;
    },
    refetchInterval: 10_000,
  });
}

/** The newest callouts that were given up. */
export const failedCalloutsQuery = queryOptions({
  queryKey: ['callouts', 'failed'],
  queryFn: async () => {
    const query = { state: 'failed', maxRecords: 10 } as never;
    return (await api.GET('/v1.0/Callouts', { params: { query } })).data?.items ?? [];
  },
  refetchInterval: 10_000,
});
