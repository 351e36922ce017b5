import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { Client } from 'pg';
import { applyMigrations } from '../../schema/migrations.ts';
import { importAllModules } from '@callout/pipeline/statements/import-all-modules.fixture';
import { statement, statements } from './statement.ts';

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

/** PostgreSQL's error for a statement, which it parses and plans and does not execute. */
async function objectionTo(text: string): Promise<string | null> {
  try {
    await client.query(`PREPARE checked AS ${text}`);
    const { rows } = await client.query<{ count: number }>(
      'SELECT cardinality(parameter_types)::int AS count FROM pg_prepared_statements',
    );
    const values = Array<string>(rows[0]?.count ?? 0).fill('NULL');
    await client.query(`EXPLAIN EXECUTE checked ${values.length > 0 ? `(${values.join()})` : ''}`);
    return null;
  } catch (error) {
    return String(error);
  } finally {
    await client.query('DEALLOCATE ALL');
  }
}

it('every statement of this package can be planned with the present tables', async () => {
  await importAllModules();
  expect(statements.size).toBeGreaterThan(100);
  // With the settings of pooled connections: planned without the values.
  await client.query('SET plan_cache_mode = force_generic_plan');
  const objections: Record<string, string> = {};
  for (const [name, text] of statements) {
    const objection = await objectionTo(text);
    if (objection !== null) objections[name] = objection;
  }
  expect(objections).toEqual({});
});

it('an invalid statement is found', async () => {
  expect(await objectionTo('SELECT nonsense FROM webhooks')).toMatch(/column "nonsense" does not exist/);
  expect(
    await objectionTo(`INSERT INTO webhook_health (webhook_key) VALUES ($1) ON CONFLICT (pauses) DO NOTHING`),
  ).toMatch(/no unique or exclusion constraint/);
});

it('two statements cannot have one name', () => {
  statement('only_once', 'SELECT 1');
  expect(() => statement('only_once', 'SELECT 2')).toThrow('there are two statements only_once');
});
