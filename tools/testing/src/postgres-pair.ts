import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type LocalPostgres, startPostgres, withClient } from '@callout/local/postgres';
import { steadyPort } from '@callout/local/process';
import { eventually } from './eventually.ts';
import { copyInBackupMode } from './base-backup.ts';
import { killTree } from './servers/kill-tree.ts';

/** A PostgreSQL that accepts writes, and a synchronous standby of it. */
export interface PostgresPair {
  /** Of the server that accepts writes, or did. */
  primaryUrl(): string;
  /** Of both servers. */
  readonly urls: () => readonly [string, string];
  /** kill -9: as when its machine dies. */
  killPrimary(): Promise<void>;
  /** Makes the standby accept writes. @returns its URL. */
  promote(): Promise<string>;
  /** Puts a new standby in the place of the server that was killed. */
  replaceKilled(): Promise<void>;
  stop(): Promise<void>;
}

/** Processes die in a drill and machines do not, so nothing has to be on a disk. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', wal_keep_size: '1GB' };
const NAME = 'standby';

/** @param dir of its own, accessible to the user that PostgreSQL runs as. */
export async function startPostgresPair(dir: string): Promise<PostgresPair> {
  const ports = [await steadyPort(), await steadyPort()] as const;
  let made = 0;
  const nextDir = () => path.join(dir, `postgres-${(made += 1)}`);
  let primary = await startPostgres({ dataDir: nextDir(), port: ports[0], settings: SETTINGS });
  let standby = await followUp(primary, nextDir(), ports[1]).catch(async (error: unknown) => {
    await primary.stop();
    throw error;
  });
  return {
    primaryUrl: () => primary.url,
    urls: () => [primary.url, standby.url],
    killPrimary: () => kill(primary),
    async promote() {
      await withClient(standby.url, (client) => client.query('SELECT pg_promote(true, 60)'));
      [primary, standby] = [standby, primary];
      return primary.url;
    },
    async replaceKilled() {
      standby = await followUp(primary, nextDir(), standby.port);
    },
    async stop() {
      await Promise.all([primary.stop(), standby.stop()]);
    },
  };
}

async function kill(server: LocalPostgres): Promise<void> {
  // The first line is the id of the server's process.
  const [pid] = (await readFile(path.join(server.place, 'pgdata', 'postmaster.pid'), 'utf8')).split('\n');
  await killTree(Number(pid));
  await server.ended;
  await server.stop();
}

/**
 * Starts a standby from a copy of the primary. From its first moment on, no commit is confirmed before the standby has
 * it too.
 */
async function followUp(primary: LocalPostgres, dataDir: string, port: number): Promise<LocalPostgres> {
  await copyInBackupMode(primary, dataDir, 'standby.signal');
  const { username, password } = new URL(primary.url);
  const from = `host=127.0.0.1 port=${primary.port} user=${username} password=${password} application_name=${NAME}`;
  const standby = await startPostgres({ dataDir, port, settings: { ...SETTINGS, primary_conninfo: from } });
  await withClient(primary.url, async (client) => {
    const isThere = (what: string) => async () =>
      (await client.query(`SELECT FROM pg_stat_replication WHERE ${what}`)).rows.length > 0;
    await eventually(isThere(`state = 'streaming'`));
    await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${NAME}'`);
    await client.query('SELECT pg_reload_conf()');
    await eventually(isThere(`sync_state = 'sync'`));
  });
  return standby;
}
