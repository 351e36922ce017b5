import { fromWireValue } from '@callout/core/ingest';
import type { QueryableCollection, QueryableField } from '@callout/core/query';
import type { FoundRow, SearchableTable, TableSearch, TenantScope } from '@callout/db/search';
import type { Item, Rows } from './queried.ts';

/** What searching tables needs. */
export interface TableQueryDeps {
  readonly tableSearch: TableSearch;
}

/** The rows of a scope of a table, each shown as `itemOf` has it. */
export function tableRows<Scope extends TenantScope>(
  { tableSearch }: TableQueryDeps,
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
    if (field.name !== 'id') item[field.name] = fromWireValue(field, values[field.name] ?? null);
  }
  return item;
}
