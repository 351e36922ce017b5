export type { SearchPage } from './page.ts';
export { mostPageBytes } from './read-records.ts';
export { createRecordSearch, type RecordSearch } from './record-search.ts';
export type { SearchDeps } from './search-transaction.ts';
export type { SearchableTable, TenantScope } from './searchable-table.ts';
export { createTableSearch, type FoundRow, type TableSearch } from './table-search.ts';
export { childTablesToSearch, errorLogTable, resourceTable, udfDefinitionTable, webhookTable } from './tables.ts';
