import { api, pagesQuery } from '../../api/client.ts';
import { entities } from '../../api/entities.ts';
import { countIn, instantIn, type Search, textIn, wordIn } from '../../parts/filter/search-filter.ts';

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

const rowsOfPage = 50;

/** Events, newest first, page by page. */
export function eventsQuery(filter: EventFilter) {
  const narrowed = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return pagesQuery(['events', filter], (paging) =>
    paging === undefined
      ? api.GET('/v1.0/EntityEvents/query', { params: { query: { ...narrowed, maxRecords: rowsOfPage } } })
      : api.GET('/v1.0/EntityEvents/query/next', { params: { query: { paging } } }),
  );
}
