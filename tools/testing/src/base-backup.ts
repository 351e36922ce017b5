import { execFile } from 'node:child_process';
import { chown, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type LocalPostgres, withClient } from '@callout/local/postgres';

const run = promisify(execFile);

/** The role of a server that starts on the copy: it follows another one, or recovers from an archive up to a point. */
export type AfterCopy = 'standby.signal' | 'recovery.signal';

/**
 * Copies the files of a running server in backup mode, as `pg_basebackup` does, which npm does not have.
 * @param dataDir where `startPostgres` finds the copy; made when missing.
 */
export async function copyInBackupMode(
  server: Pick<LocalPostgres, 'url' | 'place'>,
  dataDir: string,
  then: AfterCopy,
): Promise<void> {
  await withClient(server.url, async (client) => {
    await client.query(`SELECT pg_backup_start('drill', true)`);
    await run('mkdir', ['-p', dataDir]);
    await run('chmod', ['0711', dataDir]);
    // With owners and modes: PostgreSQL may run as another user than this process.
    await run('cp', ['-a', path.join(server.place, 'pgdata'), path.join(server.place, 'password'), dataDir]);
    const { rows } = await client.query<{ label: string }>('SELECT labelfile AS label FROM pg_backup_stop(false)');
    const pgData = path.join(dataDir, 'pgdata');
    // Settings of the running server, and its waiting for a standby.
    for (const name of ['postmaster.pid', 'postmaster.opts', 'postgresql.auto.conf']) {
      await rm(path.join(pgData, name), { force: true });
    }
    const { uid, gid } = await stat(pgData);
    for (const [name, text] of Object.entries({ backup_label: rows[0]?.label ?? '', [then]: '' })) {
      await writeFile(path.join(pgData, name), text);
      await chown(path.join(pgData, name), uid, gid);
    }
  });
}
