import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api, pagingIn } from '../../api/client.ts';

export type Resource = Schemas['Resource'];

const searched = ['firstName', 'lastName', 'email', 'userName'] as const;
const rowsOfPage = 50;

/** Persons and API users, in order of id, page by page. */
export function resourcesQuery(search: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['resources', 'list', search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: paging }) => {
      const items = searched.map((field) => ({ op: 'contains' as const, field, value: search }));
      const Filter = search === undefined ? [] : [{ op: 'or' as const, items }];
      const body = { Filter, MaxRecords: rowsOfPage } as never;
      if (paging === undefined) return (await api.POST('/v1.0/Resources/query', { body })).data;
      return (await api.POST('/v1.0/Resources/query/next', { params: { query: { paging } }, body })).data;
    },
    getNextPageParam: (page) => pagingIn(page?.pageDetails.nextPageUrl),
  });
}

/** The name of a resource, as far as it is known. */
export const nameOf = ({ id, firstName, lastName, userName, email }: Resource): string =>
  [firstName, lastName].filter(Boolean).join(' ') || userName || email || `Resource ${id}`;
