import { isJsonType } from '@callout/domain/metadata/field';
import { fromWireValue, type FieldValue } from '@callout/domain/values/values';
import type { QueryableCollection, QueryableField } from '@callout/domain/query/collection';
import type { SearchableTable, TenantScope } from '@callout/history/search/tables/searchable-table';
import type { FoundRow } from '@callout/history/search/tables/table-search';
import type { ApiContext } from '../../api-context.ts';
import type { Item, Rows } from './queried.ts';

/** The rows of a scope of a table, each in the form of `itemOf`. */
export function tableRows<Scope extends TenantScope>(
  { tableSearch }: ApiContext,
  collection: QueryableCollection,
  table: SearchableTable<Scope>,
  scope: Scope,
  itemOf: (row: FoundRow) => Item,
): Rows {
  return {
    collection,
    async page(query, position) {
      const page = await tableSearch.page(table, scope, query, position);
      return { ...page, items: page.items.map(itemOf) };
    },
    count: (query) => tableSearch.count(table, scope, query),
  };
}

/** A row as typed JSON, the id first. */
export function rowItem(fields: readonly QueryableField[], { id, fields: values }: FoundRow): Item {
  const item: Record<string, unknown> = { id };
  for (const field of fields) {
    if (field.name !== 'id') item[field.name] = shownValue(field, values[field.name] ?? null);
  }
  return item;
}

function shownValue({ dataType }: QueryableField, value: FieldValue): unknown {
  return isJsonType(dataType) ? shownJson(value) : fromWireValue({ dataType }, value);
}

/** The value of a field for an object or a list, stored as JSON text. */
export function shownJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
