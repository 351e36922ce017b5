export type { SearchPage } from './page.ts';
export { mostPageBytes } from './records/read-records.ts';
export { createRecordSearch, type RecordSearch } from './records/record-search.ts';
export type { SearchDeps } from './search-transaction.ts';
export type { SearchableTable, TenantScope } from './tables/searchable-table.ts';
export { createTableSearch, type FoundRow, type TableSearch } from './tables/table-search.ts';
export {
  childTablesToSearch,
  errorLogTable,
  resourceTable,
  udfDefinitionTable,
  webhookTable,
} from './tables/tables.ts';
