export type { InstalledPostgres } from './binaries.ts';
export { createOwnDatabase, withClient } from './own-database.ts';
export { type LocalPostgres, type PostgresOptions, startPostgres } from './start-postgres.ts';
