import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDisposableDatabase, type DisposableDatabase } from '@callout/local/test-run';
import { type Database, openDatabase } from './database.ts';
import { isDatabaseAway } from './database-away.ts';
import { DatabaseClient } from './database-client.ts';

let disposable: DisposableDatabase;
let database: Database;
/** The database of the tests behind a host where nothing listens. */
let url: string;

beforeAll(async () => {
  disposable = await createDisposableDatabase({ name: 'empty', prepare: async () => undefined });
  const { host } = new URL(disposable.url);
  url = `${disposable.url.replace(host, `127.0.0.1:1,${host}`)}?target_session_attrs=read-write`;
  database = openDatabase({ url, poolSize: 2, applicationName: 'callout-test', onError: () => undefined });
});
afterAll(async () => {
  await database.close();
  await disposable.drop();
});

const ask = () => Promise.all([database.pool.query('SELECT 1 AS one'), database.prisma.$queryRaw`SELECT 2 AS two`]);

/** Sets whether new sessions of the database are read-only. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const client = new DatabaseClient({ connectionString: disposable.url });
  await client.connect();
  const name = client.escapeIdentifier(new URL(disposable.url).pathname.slice(1));
  await client.query(`SET default_transaction_read_only = off`);
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  // Existing sessions do not change.
  await client.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
}

it('connects to the available host, for statements and for models', async () => {
  const [{ rows }, models] = await ask();
  expect([rows, models]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
});

it('is away while no host is writable, and finds the one that becomes writable again', async () => {
  await setReadOnly('on');
  const refused = async () => {
    const error: unknown = await database.pool.query('SELECT 1').catch((cause: unknown) => cause);
    return [isDatabaseAway(error), String(error)];
  };
  // The connections that broke, and one to the known host, have to fail first.
  let last = await refused();
  while (!String(last[1]).includes('no host of DATABASE_URL takes writes')) last = await refused();
  expect(last[0]).toBe(true);
  await setReadOnly('off');
  const { rows } = (await ask())[0];
  expect(rows).toEqual([{ one: 1 }]);
});

it('checks a single host too, when the URL requires it', async () => {
  const alone = (query: string) => new DatabaseClient({ connectionString: `${disposable.url}${query}` });
  await setReadOnly('on');
  await expect(alone('?target_session_attrs=primary').connect()).rejects.toThrow('takes writes');
  const any = await alone('').connect();
  await any.end();
  await setReadOnly('off');
  const writable = await alone('?target_session_attrs=primary').connect();
  expect((await writable.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await writable.end();
});
