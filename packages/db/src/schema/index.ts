export { type DatabaseContent, describeDatabase } from './database-content.ts';
export { newId } from './ids.ts';
export { applyMigrations } from './migrations.ts';
export { ensurePartitions, missingPartitions } from './partitions.ts';
