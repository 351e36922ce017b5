import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Schemas } from '@callout/client';
import { api, pagingIn } from '../../api/client.ts';

export type Definition = Schemas['UserDefinedFieldDefinition'];

/** The entities that can have fields of the tenant's own. */
export const entityTypes = ['Account', 'Contact', 'InstalledProduct', 'Ticket'] as const;
export const dataTypes = ['string', 'integer', 'decimal', 'datetime', 'boolean', 'list'] as const;

const rowsOfPage = 100;

/** Definitions of user-defined fields, of one entity or of all, page by page. */
export function definitionsQuery(entityType: string | undefined, search: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['definitions', entityType, search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: paging }) => {
      const contains = (field: string) => ({ op: 'contains' as const, field, value: search });
      const Filter = [
        ...(entityType === undefined ? [] : [{ op: 'eq' as const, field: 'entityType', value: entityType }]),
        ...(search === undefined ? [] : [{ op: 'or' as const, items: [contains('name'), contains('label')] }]),
      ];
      const body = { Filter, MaxRecords: rowsOfPage } as never;
      if (paging === undefined) return (await api.POST('/v1.0/UserDefinedFieldDefinitions/query', { body })).data;
      const params = { query: { paging } };
      return (await api.POST('/v1.0/UserDefinedFieldDefinitions/query/next', { params, body })).data;
    },
    getNextPageParam: (page) => pagingIn(page?.pageDetails.nextPageUrl),
  });
}
