import type { Schemas } from '@callout/client';
import { api, pagesQuery } from '../../api/client.ts';

export type Definition = Schemas['UserDefinedFieldDefinition'];

/** The entities that can have fields of the tenant's own. */
export const entityTypes = ['Account', 'Contact', 'InstalledProduct', 'Ticket'] as const;
export const dataTypes = ['string', 'integer', 'decimal', 'datetime', 'boolean', 'list'] as const;

const rowsOfPage = 100;

/** Definitions of user-defined fields, of one entity or of all, page by page. */
export function definitionsQuery(entityType: string | undefined, search: string | undefined) {
  const contains = (field: string) => ({ op: 'contains' as const, field, value: search });
  const Filter = [
    ...(entityType === undefined ? [] : [{ op: 'eq' as const, field: 'entityType', value: entityType }]),
    ...(search === undefined ? [] : [{ op: 'or' as const, items: [contains('name'), contains('label')] }]),
  ];
  const body = { Filter, MaxRecords: rowsOfPage } as never;
  return pagesQuery(['definitions', entityType, search], (paging) =>
    paging === undefined
      ? api.POST('/v1.0/UserDefinedFieldDefinitions/query', { body })
      : api.POST('/v1.0/UserDefinedFieldDefinitions/query/next', { params: { query: { paging } }, body }),
  );
}
