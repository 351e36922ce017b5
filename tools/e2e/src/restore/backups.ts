import { execFile } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type LocalPostgres, startPostgres, withClient } from '@callout/local/postgres';
import { copyInBackupMode } from '@callout/testing';

const run = promisify(execFile);

/** A way to back up PostgreSQL and to restore it. */
export interface Backup {
  /** Starts the server that is backed up. */
  start(): Promise<LocalPostgres>;
  /** Before anything is written. */
  begin(server: LocalPostgres): Promise<void>;
  /** A restore brings back the present state. */
  take(server: LocalPostgres): Promise<void>;
  /** After the server and its files are lost. */
  restore(): Promise<LocalPostgres>;
}

/** A copy of the files, and an archive of all that was written since, recovered up to a named point. */
export function pointInTime(dir: string): Backup {
  const archive = path.join(dir, 'archive');
  const point = 'the_last_good_moment';
  const copy = path.join(dir, 'copy');
  return {
    async start() {
      await mkdir(archive);
      // PostgreSQL may run as another user than this process.
      await chmod(archive, 0o777);
      const settings = { archive_mode: 'on', archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f` };
      return startPostgres({ dataDir: path.join(dir, 'postgres'), settings });
    },
    begin: (server) => copyInBackupMode(server, copy, 'recovery.signal'),
    take: (server) =>
      withClient(server.url, async (client) => {
        await client.query(`SELECT pg_create_restore_point('${point}')`);
      }),
    restore: () =>
      startPostgres({
        dataDir: copy,
        settings: {
          restore_command: `cp ${archive}/%f %p`,
          recovery_target_name: point,
          recovery_target_action: 'promote',
          // It responds only when it is recovered.
          hot_standby: 'off',
        },
      }),
  };
}

/** `pg_dump` and `pg_restore`. @param programs the directory with `bin/` of a PostgreSQL that has them. */
export function dump(dir: string, programs: string): Backup {
  const file = path.join(dir, 'callout.dump');
  const start = (name: string) => startPostgres({ dataDir: path.join(dir, name), programs });
  return {
    start: () => start('postgres'),
    begin: async () => undefined,
    take: async ({ url }) =>
      void (await run(path.join(programs, 'bin', 'pg_dump'), ['--format=custom', `--file=${file}`, url])),
    async restore() {
      const server = await start('restored');
      await run(path.join(programs, 'bin', 'pg_restore'), ['--exit-on-error', `--dbname=${server.url}`, file]);
      return server;
    },
  };
}
