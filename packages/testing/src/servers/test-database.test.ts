import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase } from './test-database.ts';

describe('createTestDatabase', () => {
  it('gives a database of its own with every migration applied', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      'SELECT current_database() AS name, count(*)::int AS failed FROM _prisma_migrations WHERE finished_at IS NULL',
    );
    expect(rows).toEqual([{ name: database.name, failed: 0 }]);
    const partitions = await client.query("SELECT 1 FROM pg_inherits WHERE inhparent = 'events'::regclass");
    expect(partitions.rowCount).toBeGreaterThan(0);
    await client.end();
    await database.drop();
  });
});
