import type { Schemas } from '@callout/client';
import { queryOptions } from '@tanstack/react-query';
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

/** The name of a resource, if known. */
export const nameOf = ({ id, firstName, lastName, userName, email }: Resource): string =>
  [firstName, lastName].filter(Boolean).join(' ') || userName || email || `Resource ${id}`;

/** A resource, with the editable values. */
export type StoredResource = typeof newResource;

export const newResource = {
  id: 0,
  name: '',
  etag: '',
  values: { firstName: '', lastName: '', email: '', userName: '', title: '', isActive: true },
};

export function resourceQuery(id: number) {
  return queryOptions({
    queryKey: ['resources', id],
    // A dialog shows the stored version, not the version of the dialog before.
    gcTime: 0,
    enabled: id > 0,
    async queryFn(): Promise<StoredResource> {
      const { data, response } = await api.GET('/v1.0/Resources/{id}', { params: { path: { id } } });
      const { isActive, ...item } = data.item;
      const texts = Object.keys(newResource.values).map((name) => [name, item[name as keyof typeof item] ?? '']);
      const values = { ...Object.fromEntries(texts), isActive: isActive === true } as StoredResource['values'];
      return { id, name: nameOf(data.item), etag: response.headers.get('ETag') ?? '', values };
    },
  });
}
