import type { Schemas } from '@callout/client';
import { queryOptions } from '@tanstack/react-query';
import { api, pagesQuery } from '../../api/client.ts';
import { textOfValues } from './list-values.ts';

/** The entities with user-defined fields. */
export const entityTypes = ['Account', 'Contact', 'InstalledProduct', 'Ticket'] as const;
export const dataTypes = ['string', 'integer', 'decimal', 'datetime', 'boolean', 'list'] as const;

export type ListedDefinition = Schemas['UserDefinedFieldDefinition'];

const rowsOfPage = 100;

/** Definitions of user-defined fields, of an entity or of all, page by page. */
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

/** A definition, with the editable values. */
export type StoredDefinition = ReturnType<typeof newDefinition>;

/** For forms with a comparison of versions. */
export const aboutDefinition = {
  what: 'field',
  labels: { name: 'Name', label: 'Label', listValues: 'Values', entityType: 'Entity', dataType: 'Type' },
  changes: ['definitions'],
};

export const newDefinition = (entityType: string) => ({
  id: 0,
  etag: '',
  values: { entityType, name: '', label: '', dataType: 'string', listValues: '' },
});

export function definitionQuery(id: number) {
  const path = '/v1.0/UserDefinedFieldDefinitions/{id}';
  return queryOptions({
    queryKey: ['definitions', id],
    // A dialog shows the stored version, not the version of the dialog before.
    gcTime: 0,
    enabled: id > 0,
    async queryFn(): Promise<StoredDefinition> {
      const { data, response } = await api.GET(path, { params: { path: { id } } });
      const { name = '', label = '', entityType = '', dataType = '', listValues = [] } = data.item;
      const values = { name, label, entityType, dataType, listValues: textOfValues(listValues) };
      return { id, etag: response.headers.get('ETag') ?? '', values };
    },
  });
}
