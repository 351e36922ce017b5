import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api, pagingIn } from '../../api/client.ts';
import { failedQueryOf, failedRangeOf, type FailedFilter } from './failed-filter.ts';

/** With what the keys of all queries of the page begin. */
export const failedKey = ['failed'];

const rowsOfPage = 50;

/** What was given up, by webhook and reason. */
export const failedGroupsQuery = queryOptions({
  queryKey: [...failedKey, 'groups'],
  queryFn: async () => (await api.GET('/v1.0/Callouts/failed')).data.items,
  refetchInterval: 30_000,
});

/** The callouts that were given up, newest first, page by page. */
export function failedListQuery(filter: FailedFilter) {
  return infiniteQueryOptions({
    queryKey: [...failedKey, 'list', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: paging }) => {
      if (paging !== undefined) {
        return (await api.GET('/v1.0/Callouts/query/next', { params: { query: { paging } } })).data;
      }
      const query = { ...failedQueryOf(filter), maxRecords: rowsOfPage };
      return (await api.GET('/v1.0/Callouts', { params: { query } })).data;
    },
    getNextPageParam: (page) => pagingIn(page?.pageDetails.nextPageUrl),
  });
}

/** Redelivers what was given up, or says what that would do. `calloutIDs`: only these. Throws ApiError. */
export async function redeliverFailed(
  filter: FailedFilter,
  calloutIDs: readonly string[],
  dryRun: boolean,
): Promise<Schemas['QueuedOfTenant']> {
  return (await api.POST('/v1.0/Callouts/redeliver', { body: { ...failedRangeOf(filter, calloutIDs), dryRun } })).data;
}
