import type { Schemas } from '@callout/client';
import { api, pagesQuery } from '../../api/client.ts';

export type Resource = Schemas['Resource'];

const searched = ['firstName', 'lastName', 'email', 'userName'] as const;
const rowsOfPage = 50;

/** Persons and API users, in order of id, page by page. */
export function resourcesQuery(search: string | undefined) {
  const items = searched.map((field) => ({ op: 'contains' as const, field, value: search }));
  const Filter = search === undefined ? [] : [{ op: 'or' as const, items }];
  const body = { Filter, MaxRecords: rowsOfPage } as never;
  return pagesQuery(['resources', 'list', search], (paging) =>
    paging === undefined
      ? api.POST('/v1.0/Resources/query', { body })
      : api.POST('/v1.0/Resources/query/next', { params: { query: { paging } }, body }),
  );
}

/** The name of a resource, if it is known. */
export const nameOf = ({ id, firstName, lastName, userName, email }: Resource): string =>
  [firstName, lastName].filter(Boolean).join(' ') || userName || email || `Resource ${id}`;
