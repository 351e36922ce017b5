import { applyMigrations } from '@callout/database/schema/migrations';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';

/**
 * A database of its own for a test file, with every migration applied and today's partitions made. Make one in
 * `beforeAll`, drop it in `afterAll`.
 */
export async function createTestDatabase(): Promise<DisposableDatabase> {
  return createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
}
