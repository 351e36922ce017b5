import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import type { PoolClient } from 'pg';
import { applyMigrations } from '@callout/database/schema/migrations';
import { fillOpenCallouts, fillWorkTables } from './fill-work-tables.fixture.ts';
import { importAllModules, listSqlFiles } from './import-all-modules.fixture.ts';
import { plannedIndexes, type ParameterType } from './planned-indexes.fixture.ts';
import { openDatabase, type Database } from '@callout/database/connection/database';
import { lockRanks } from '@callout/database/connection/locks/lock-order';
import { readSqlFile } from '@callout/database/connection/statement/sql-file';
import { sqlFiles } from '@callout/database/connection/statement/statement';

let disposable: DisposableDatabase;
let database: Database;
let client: PoolClient;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'migrated', prepare: (url) => applyMigrations(url) });
  // With the settings under which statements are planned.
  database = openDatabase({ url: disposable.url, poolSize: 1, applicationName: 'test', onError: () => undefined });
  client = await database.pool.connect();
  await importAllModules();
});
afterAll(async () => {
  client.release();
  await database.close();
  await disposable.drop();
});

it('every statement file is read by a module', async () => {
  const names = await listSqlFiles();
  expect(names.length).toBeGreaterThan(100);
  expect(names).toEqual([...sqlFiles.keys()].toSorted());
});

it('a missing statement file, such as a misspelt one, is an error', () => {
  expect(() => readSqlFile('deliver/delivery_clam')).toThrow('delivery_clam.sql');
});

it('statement headers have the types of all parameters', async () => {
  const [declared, found]: Record<string, string[]>[] = [{}, {}];
  for (const [file, { text, parameterTypes }] of sqlFiles) {
    await client.query(`PREPARE checked AS ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      `SELECT parameter_types::text[] AS types FROM pg_prepared_statements WHERE name = 'checked'`,
    );
    await client.query('DEALLOCATE checked');
    if (declared && found) [declared[file], found[file]] = [parameterTypes, (rows[0]?.types ?? []).map(short)];
  }
  expect(declared).toEqual(found);
});

function short(type: string): string {
  return type
    .replace('timestamp with time zone', 'timestamptz')
    .replace(/^integer/, 'int')
    .replace('boolean', 'bool');
}

it('each statement locks in the common order', () => {
  for (const { name, locks } of sqlFiles.values()) {
    const ranks = locks.map(({ rank }) => lockRanks.indexOf(rank));
    expect({ name, ranks }).toEqual({ name, ranks: ranks.toSorted((a, b) => a - b) });
  }
});

/** Of open callouts, and of the history of ended ones; deleting a pending event is its transition to `matched`. */
const changesStates =
  /UPDATE (open_)?callouts [^;]*?\bstate = |INSERT INTO open_callouts|DELETE FROM (open_callouts|pending_events)/u;

it('each statement that changes a state, and no other, names its transitions', () => {
  const [changing, naming]: string[][] = [[], []];
  for (const { name, text, moves } of sqlFiles.values()) {
    if (changesStates.test(text)) changing?.push(name);
    if (moves.length > 0) naming?.push(name);
  }
  expect(naming).toEqual(changing);
});

describe.each([
  ['empty', async () => undefined],
  ['full and analyzed', () => fillWorkTables(client)],
  // What PostgreSQL knows of work tables may be of a moment when they were full of one thing.
  ['full of held callouts of one webhook', () => fillOpenCallouts(client, 'held')],
  ['full of due callouts of one webhook', () => fillOpenCallouts(client, 'due')],
  ['full of waiting callouts of one webhook', () => fillOpenCallouts(client, 'waiting')],
])('with tables that are %s', (_title, prepare) => {
  beforeAll(prepare);

  it('each statement is planned with the indexes in its header', async () => {
    const lacking: Record<string, { lacks: string[]; has: string[] }> = {};
    for (const { name, text, parameterTypes, indexes } of sqlFiles.values()) {
      const has = await plannedIndexes(client, text, parameterTypes as ParameterType[]);
      const lacks = indexes.filter((index) => !has.includes(index));
      if (lacks.length > 0) lacking[name] = { lacks, has };
    }
    expect(lacking).toEqual({});
  });
});

describe('a definition shared by several statements is the same in each:', () => {
  const textOf = (file: string): string => sqlFiles.get(file)?.text.replaceAll(/\s+/g, ' ') ?? '';
  const part = (file: string, pattern: RegExp): string => pattern.exec(textOf(file))?.[0] ?? `not in ${file}`;

  it('the columns of a claimed callout', () => {
    const columns = /SELECT leased\.callout_id AS id.*? AS "leaseOwner"/;
    expect(part('limits/threshold_release', columns)).toBe(part('deliver/delivery_claim', columns));
    expect(part('pull/pull_claim', columns)).toBe(part('deliver/delivery_claim', columns));
    const origin = /FROM leased, LATERAL.*? AS w\b/;
    // A release has no need of the mode of the threshold.
    expect(part('pull/pull_claim', origin)).toBe(part('deliver/delivery_claim', origin));
    expect(part('deliver/delivery_claim', columns)).toMatch(/^SELECT leased/);
  });

  it('due tests and deactivation calls', () => {
    const pattern = /o\.record_id <= 0 AND .*? = 'due'/;
    expect(part('sweep/sweep_find_due', pattern)).toBe(part('deliver/delivery_claim', pattern));
  });

  it('storing of an attempt', () => {
    const storing = /INSERT INTO attempts \(id, .*? failure\b/;
    expect(part('settle/settle_late', storing)).toBe(part('settle/settle_store', storing));
    expect(part('settle/settle_store', storing)).toMatch(/^INSERT/);
  });
});
