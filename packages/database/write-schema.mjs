// Writes schema.sql from the tables that the migrations make in an empty database. Run by `npm run schema`.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@callout/local/postgres';
import { Client } from 'pg';
import { applyMigrations } from './dist/schema/migrations.js';
import { dumpSchema } from './dist/schema/schema-dump.js';

const dataDir = await mkdtemp(path.join(tmpdir(), 'callout-schema-'));
const postgres = await startPostgres({ dataDir });
const client = new Client({ connectionString: postgres.url });
try {
  await applyMigrations(postgres.url);
  await client.connect();
  await writeFile(path.join(import.meta.dirname, 'schema.sql'), await dumpSchema(client));
} finally {
  await client.end();
  await postgres.stop();
  await rm(dataDir, { recursive: true });
}
