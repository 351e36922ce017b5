import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { steadyPort } from '../process/local-port.ts';
import { memoryDirectory } from '../test-run/memory-directory.ts';
import { startOtherProcess } from '../test-run/other-process.ts';
import { temporaryDirectory } from '../test-run/temporary-directory.fixture.ts';
import { pgDataIn } from './cluster.ts';
import { type LocalPostgres, type PostgresOptions, startPostgres } from './start-postgres.ts';

const dir = temporaryDirectory(memoryDirectory());
let count = 0;
const newDataDir = () => path.join(dir, `data${++count}`);
/**
 * For tests that need no cluster of their own: making one is most of the cost of a first start. Each test leaves it
 * intact.
 */
const dataDir = newDataDir();
const running: LocalPostgres[] = [];

async function started(options: PostgresOptions): Promise<LocalPostgres> {
  const postgres = await startPostgres(options);
  running.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const startElsewhere = () =>
  startOtherProcess(`
    import { startPostgres } from '@callout/local/postgres';
    const { url } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    console.log(JSON.stringify({ url, pid: process.pid }));
    setInterval(() => {}, 1000);
  `);

afterEach(async () => {
  await Promise.all(running.splice(0).map((postgres) => postgres.stop()));
});

describe('startPostgres', () => {
  it('keeps data over a restart, on the same port', async () => {
    const first = await started({ dataDir, port: await steadyPort() });
    await query(first.url, 'CREATE TABLE note AS SELECT 1 AS number');
    await first.stop();
    await first.stop();
    const second = await started({ dataDir, port: first.port });
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT number FROM note')).toEqual([{ number: 1 }]);
  });

  it('is durable, knows Unicode, and lets in from this machine with the password only', async () => {
    const { url, place } = await started({ dataDir });
    const [settings] = await query(
      url,
      `SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync,
              current_setting('listen_addresses') AS addresses, current_setting('password_encryption') AS password,
              lower('É') AS lower, (SELECT datlocprovider FROM pg_database WHERE datname = current_database()) AS provider`,
    );
    expect(settings).toEqual({
      commit: 'on',
      fsync: 'on',
      addresses: '127.0.0.1',
      password: 'scram-sha-256',
      lower: 'é',
      provider: 'b',
    });
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect((await stat(path.join(place, 'password'))).mode & 0o777).toBe(0o600);
    expect(await readFile(path.join(pgDataIn(place), 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#].*trust$/m);
  });

  it('uses another port when the preferred one is in use', async () => {
    const port = await steadyPort();
    const [first, second] = [
      await started({ dataDir, port }),
      await started({ dataDir: newDataDir(), port, database: 'An "odd" name' }),
    ];
    expect(first.port).toBe(port);
    expect(second.port).not.toBe(port);
    expect(await query(second.url, 'SELECT current_database()')).toEqual([{ current_database: 'An "odd" name' }]);
  });

  it('refuses a data directory in use, and leaves its server alone, which ends when its supervisor is killed', async () => {
    const other = await startElsewhere();
    const { url, pid } = other.message as { url: string; pid: number };
    await expect(startPostgres({ dataDir })).rejects.toThrow(`${dataDir} is in use by process ${pid}`);
    await query(url, 'CREATE TABLE kept AS SELECT 1 AS number');
    await other.kill();
    // The next start finds the committed rows.
    const next = await started({ dataDir });
    expect(await query(next.url, 'SELECT number FROM kept')).toEqual([{ number: 1 }]);
    await expect(query(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED|password|terminat/);
  });

  it('is not blocked by what a crash left: a foreign process id, half a cluster', async () => {
    const first = await started({ dataDir });
    await first.stop();
    const pgData = pgDataIn(first.place);
    await writeFile(path.join(pgData, 'postmaster.pid'), `${process.pid}\n${pgData}\n1\n5432\n\n\n`);
    const second = await started({ dataDir });
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    const fresh = newDataDir();
    await mkdir(path.join(fresh, 'pgdata.new-1', 'base'), { recursive: true });
    await writeFile(path.join(fresh, 'pgdata.new-1', 'PG_VERSION'), '18');
    const third = await started({ dataDir: fresh });
    expect(await query(third.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await readdir(third.place)).not.toContain('pgdata.new-1');
  });

  it('shows the end of the log when PostgreSQL refuses, and releases the lock', async () => {
    const refused = startPostgres({ dataDir, settings: { shared_buffers: 'plenty' } });
    await expect(refused).rejects.toThrow(/did not start.*shared_buffers/s);
    expect((await started({ dataDir })).port).toBeGreaterThan(0);
  });

  it('says what to do when the password is lost', async () => {
    const { stop, place } = await started({ dataDir });
    await stop();
    await rename(path.join(place, 'password'), path.join(place, 'lost'));
    await expect(startPostgres({ dataDir })).rejects.toThrow(`Remove ${place} to start afresh`);
    await rename(path.join(place, 'lost'), path.join(place, 'password'));
  });

  it('works where only we may go, and begins afresh there when the data directory was deleted', async () => {
    const closed = path.join(dir, 'closed');
    await mkdir(closed, { mode: 0o700 });
    const dataDir = path.join(closed, 'data');
    const first = await started({ dataDir });
    await query(first.url, 'CREATE TABLE note AS SELECT 1 AS number');
    await first.stop();
    const again = await started({ dataDir });
    expect(again.place).toBe(first.place);
    expect(await query(again.url, 'SELECT number FROM note')).toEqual([{ number: 1 }]);
    await again.stop();

    await rm(dataDir, { recursive: true });
    const afresh = await started({ dataDir });
    await expect(query(afresh.url, 'SELECT number FROM note')).rejects.toThrow('does not exist');
    await afresh.stop();
    // For root these lie outside the directory that is removed after the tests.
    for (const { place } of [first, afresh]) await rm(place, { recursive: true, force: true });
  });
});
