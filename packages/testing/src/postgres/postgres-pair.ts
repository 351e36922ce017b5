import { execFile } from 'node:child_process';
import { chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type LocalPostgres, startPostgres, withClient } from '@callout/local/postgres';
import { steadyPort } from '@callout/local/process';
import { eventually } from '../eventually.ts';
import { killTree } from '../servers/kill-tree.ts';

const run = promisify(execFile);

/** A PostgreSQL that takes writes, and a synchronous standby of it. */
export interface PostgresPair {
  /** Of the server that takes writes, or did. */
  primaryUrl(): string;
  /** Of both servers. */
  readonly urls: () => readonly [string, string];
  /** kill -9: as when its machine dies. */
  killPrimary(): Promise<void>;
  /** Makes the standby take writes. @returns its URL. */
  promote(): Promise<string>;
  /** Puts a new standby in the place of the server that was killed. */
  replaceKilled(): Promise<void>;
  stop(): Promise<void>;
}

/** Processes die in a drill and machines do not, so nothing has to be on a disk. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', wal_keep_size: '1GB' };
const NAME = 'standby';

/** @param dir of its own, which the user that PostgreSQL runs as can enter. */
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
 * Starts a standby from a copy of the primary's files, made in backup mode as `pg_basebackup` does, which npm does not
 * have. From its first moment on, no commit is answered before the standby has it too.
 */
async function followUp(primary: LocalPostgres, dataDir: string, port: number): Promise<LocalPostgres> {
  await withClient(primary.url, async (client) => {
    await client.query(`SELECT pg_backup_start('drill', true)`);
    await run('mkdir', ['-p', dataDir]);
    await run('chmod', ['0711', dataDir]);
    // With owners and modes: PostgreSQL may run as another user than this process.
    await run('cp', ['-a', path.join(primary.place, 'pgdata'), path.join(primary.place, 'password'), dataDir]);
    const { rows } = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop(false)');
    const pgData = path.join(dataDir, 'pgdata');
    // What belongs to the running server, and its waiting for a standby.
    for (const name of ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf']) {
      await rm(path.join(pgData, name), { force: true });
    }
    const { uid, gid } = await stat(pgData);
    const added = { backup_label: rows[0]?.label ?? '', 'standby.signal': '' };
    for (const [name, text] of Object.entries(added)) {
      await writeFile(path.join(pgData, name), text);
      await chown(path.join(pgData, name), uid, gid);
    }
  });
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
