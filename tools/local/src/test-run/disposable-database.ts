import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { dropDatabase, ownDatabase, type OwnDatabase, urlOf, withClient } from '../postgres/own-database.ts';
import { sharedPostgres } from './request-services.ts';

export type DisposableDatabase = OwnDatabase;

export interface Template {
  /** Lower-case letters and digits; tests that name the same template share it. */
  name: string;
  /** Fills it (for example, applies the migrations); called once per run, by its first user. */
  prepare: (databaseUrl: string) => Promise<unknown>;
}

/** Any constant: serialises the making of templates. Advisory locks count per database, so this one is ours alone. */
const TEMPLATE_LOCK = 4_127_001;

/**
 * A database of its own for a test file, named `callout_test_<random>`: a copy of a template of this run, which costs
 * some 20 ms (in memory; ten times that on a disk) instead of all that was done to the template.
 */
export async function createDisposableDatabase(template: Template): Promise<DisposableDatabase> {
  const { url, templatePrefix } = await sharedPostgres();
  const original = `${templatePrefix}_${template.name}`;
  const name = `callout_test_${randomBytes(8).toString('hex')}`;
  await withClient(url, async (client) => {
    await ensureTemplate(client, url, original, template.prepare);
    // Copying files takes a third of the time that copying through the write-ahead log takes, which is the default.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${original} STRATEGY FILE_COPY`);
  });
  return ownDatabase(url, name);
}

/** Drops the templates of a run. */
export async function dropTemplates(url: string, templatePrefix: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname::text, $1)',
      [templatePrefix],
    );
    for (const { datname } of rows) await dropDatabase(client, datname);
  });
}

async function ensureTemplate(client: Client, url: string, name: string, prepare: Template['prepare']): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (rowCount === 0) {
    // It gets its name when it is finished: one that a killed process left incomplete does not count as a template.
    const draft = `${name}_new`;
    await dropDatabase(client, draft);
    await client.query(`CREATE DATABASE ${draft}`);
    await prepare(urlOf(url, draft));
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  }
  await client.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
}
