import type { Schemas } from '@callout/client';
import { queryOptions } from '@tanstack/react-query';
import { api, pagesQuery } from '../../api/client.ts';
import { instantIn, type Search, textIn } from '../../parts/filter/search-filter.ts';

export type FailedGroup = Schemas['FailedGroup'];
type Reason = FailedGroup['reason'];

/** What the address of the page narrows what failed to. */
export interface FailedFilter {
  /** The GUID of a webhook. */
  readonly webhook: string | undefined;
  readonly reason: string | undefined;
  /** When the callouts were made, ISO 8601; the first is part of the time, the second is not. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export const failedFilterOf = (search: Search): FailedFilter => ({
  webhook: textIn(search['webhook']),
  reason: textIn(search['reason']),
  since: instantIn(search['since']),
  until: instantIn(search['until']),
});

/** The period in the words of the API. */
function periodOf({ since, until }: FailedFilter) {
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** The filter of lists and exports: callouts that can be redelivered. */
export function failedQueryOf(filter: FailedFilter) {
  const { webhook, reason } = filter;
  return {
    ...periodOf(filter),
    state: 'failed',
    kind: 'event',
    ...(webhook !== undefined && { webhookGUID: webhook }),
    ...(reason !== undefined && { reason }),
  };
}

/** The filter as the body of a redelivery; `calloutIDs`: only the callouts with the ids. */
export function failedRangeOf(filter: FailedFilter, calloutIDs: readonly string[]) {
  const { webhook, reason } = filter;
  return {
    ...periodOf(filter),
    states: ['failed' as const],
    ...(webhook !== undefined && { webhookGUIDs: [webhook] }),
    // A choice of the page, or a word typed into the address: the API refuses an unknown reason.
    ...(reason !== undefined && { reasons: [reason as Reason] }),
    ...(calloutIDs.length > 0 && { calloutIDs: [...calloutIDs] }),
  };
}

/** The groups within a filter. */
export function groupsWithin(groups: readonly FailedGroup[], { webhook, reason }: FailedFilter): FailedGroup[] {
  return groups.filter(
    (group) =>
      (webhook === undefined || group.webhookGUID === webhook) && (reason === undefined || group.reason === reason),
  );
}

/** With what the keys of all queries of the page begin. */
export const failedKey = ['failed'];

const rowsOfPage = 50;

/** What failed, by webhook and reason. */
export function failedGroupsQuery(filter: FailedFilter) {
  const query = periodOf(filter);
  return queryOptions({
    queryKey: [...failedKey, 'groups', query],
    queryFn: async () => (await api.GET('/v1.0/Callouts/failed', { params: { query } })).data.items,
    refetchInterval: 30_000,
  });
}

/** The failed callouts, newest first, page by page. */
export const failedListQuery = (filter: FailedFilter) =>
  pagesQuery([...failedKey, 'list', filter], (paging) =>
    paging === undefined
      ? api.GET('/v1.0/Callouts', { params: { query: { ...failedQueryOf(filter), maxRecords: rowsOfPage } } })
      : api.GET('/v1.0/Callouts/query/next', { params: { query: { paging } } }),
  );

/**
 * Redelivers what failed, or says what a redelivery would do. `calloutIDs`: only the callouts with the ids. Throws
 * ApiError.
 */
export async function redeliverFailed(
  filter: FailedFilter,
  calloutIDs: readonly string[],
  dryRun: boolean,
): Promise<Schemas['QueuedOfTenant']> {
  return (await api.POST('/v1.0/Callouts/redeliver', { body: { ...failedRangeOf(filter, calloutIDs), dryRun } })).data;
}
