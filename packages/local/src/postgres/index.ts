export { createOwnDatabase } from './own-database.ts';
export { startPostgres } from './start-postgres.ts';
