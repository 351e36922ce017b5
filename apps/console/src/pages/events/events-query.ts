import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, pagingIn } from '../../api/client.ts';
import { entities } from '../../api/entities.ts';
import { countIn, textIn, wordIn, type Search } from '../../parts/filter/search-filter.ts';

export const actions = ['Create', 'Update', 'Delete'] as const;

/** What the list is narrowed to. */
export interface EventFilter {
  readonly eventID: string | undefined;
  readonly entityType: string | undefined;
  readonly action: (typeof actions)[number] | undefined;
  readonly recordID: number | undefined;
  /** ISO 8601; the first is part of the time, the second is not. */
  readonly since: string | undefined;
  readonly until: string | undefined;
}

export const filterOf = (search: Search): EventFilter => ({
  eventID: textIn(search['eventID']),
  entityType: wordIn(
    entities.map(({ type }) => type),
    search['entityType'],
  ),
  action: wordIn(actions, search['action']),
  recordID: countIn(search['recordID']),
  since: instantIn(search['since']),
  until: instantIn(search['until']),
});

function instantIn(value: unknown): string | undefined {
  const text = textIn(value);
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

const rowsOfPage = 50;

/** Events, newest first, page by page. */
export function eventsQuery(filter: EventFilter) {
  return infiniteQueryOptions({
    queryKey: ['events', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: paging }) => {
      if (paging !== undefined) {
        return (await api.GET('/v1.0/EntityEvents/query/next', { params: { query: { paging } } })).data;
      }
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const query = { ...given, maxRecords: rowsOfPage };
      return (await api.GET('/v1.0/EntityEvents/query', { params: { query } })).data;
    },
    getNextPageParam: (page) => pagingIn(page?.pageDetails.nextPageUrl),
    // One who has gone on to older ones reads, and every page would be read again.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : 5_000),
  });
}
