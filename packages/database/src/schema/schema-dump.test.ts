import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { Client } from 'pg';
import { applyMigrations } from './migrations.ts';
import { dumpSchema } from './schema-dump.ts';

let disposable: DisposableDatabase;
let client: Client;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  client = new Client({ connectionString: disposable.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await disposable.drop();
});

it('schema.sql contains the result of the migrations; "npm run schema" writes it again', async () => {
  const committed = await readFile(path.resolve(import.meta.dirname, '../../schema.sql'), 'utf8');
  expect(await dumpSchema(client)).toBe(committed);
});

it('schema.sql has columns, constraints, indexes, partitioning and storage, and no partition', async () => {
  await client.query(`
    CREATE TABLE shown (id uuid PRIMARY KEY, body text NOT NULL DEFAULT 'x' CHECK (body <> ''), amount numeric(4, 2))
      PARTITION BY RANGE (id);
    CREATE TABLE shown_today PARTITION OF shown DEFAULT WITH (fillfactor = 50);
    ALTER TABLE shown ALTER body SET STORAGE EXTERNAL;
    CREATE INDEX shown_by_body ON shown (body) WHERE amount > 1`);
  const dump = await dumpSchema(client);
  expect(dump).toContain(`CREATE TABLE shown (
  id uuid NOT NULL,
  body text STORAGE EXTERNAL NOT NULL DEFAULT 'x'::text,
  amount numeric(4,2),
  CONSTRAINT shown_pkey PRIMARY KEY (id),
  CONSTRAINT shown_body_check CHECK ((body <> ''::text))
) PARTITION BY RANGE (id);
CREATE INDEX shown_by_body ON shown USING btree (body) WHERE (amount > (1)::numeric);
`);
  expect(dump).not.toContain('shown_today');
  await client.query('DROP TABLE shown');
});

it('the dump fails on anything that it cannot show, instead of leaving it out', async () => {
  await client.query('CREATE VIEW unshown AS SELECT 1 AS one');
  await expect(dumpSchema(client)).rejects.toThrow('schema.sql would not show view unshown');
  await client.query('DROP VIEW unshown');
});
