export { createOwnDatabase, withClient } from './own-database.ts';
export { type LocalPostgres, startPostgres } from './start-postgres.ts';
