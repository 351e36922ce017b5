import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, chown, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort, LOOPBACK } from '../../process/local-port.ts';
import { startSupervised, type SupervisedProcess } from '../../process/supervised-process.ts';
import { unprivilegedUser } from '../../process/system-user.ts';

export interface PgBouncerOptions {
  /** The program, as `installedPgBouncer` found it. */
  readonly program: string;
  /** The database behind it. */
  readonly databaseUrl: string;
  readonly poolMode: 'session' | 'transaction' | 'statement';
  /** The most connections to PostgreSQL; 50 by default. */
  readonly poolSize?: number;
}

export interface PgBouncer {
  /** The database by way of PgBouncer. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Where Debian and others put it. */
const places = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** The one that `PGBOUNCER` names, or an installed one. Undefined: this machine has none, and npm has none either. */
export function installedPgBouncer(): string | undefined {
  // oxlint-disable-next-line node/no-process-env -- a run of tests has no main.ts that could hand it down
  const named = process.env['PGBOUNCER'] ?? '';
  if (named !== '') return named;
  return places.map((place) => path.join(place, 'pgbouncer')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a PgBouncer can carry prepared statements from session to session: 1.21 and newer. */
export async function canKeepStatements(program: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)(program, ['--version']);
  const [, major = 0, minor = 0] = /PgBouncer (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

const START_PATIENCE_MS = 30_000;

/** Starts a real PgBouncer in front of a database, on 127.0.0.1; it ends with this process. */
export async function startPgBouncer({
  program,
  databaseUrl,
  poolMode,
  poolSize = 50,
}: PgBouncerOptions): Promise<PgBouncer> {
  const target = new URL(databaseUrl);
  const port = await freePort();
  const dir = await mkdtemp(path.join(await realpath(tmpdir()), 'callout-pgbouncer-'));
  const keeping = (await canKeepStatements(program)) ? 'max_prepared_statements = 200\n' : '';
  const configuration = path.join(dir, 'pgbouncer.ini');
  await writeFile(
    configuration,
    `[databases]
* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}
[pgbouncer]
listen_addr = ${LOOPBACK}
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = ${poolSize}
max_client_conn = 500
${keeping}`,
    { mode: 0o600 },
  );
  // It refuses to run as root, like PostgreSQL.
  const user = await unprivilegedUser(dir);
  if (user !== undefined) {
    await chmod(dir, 0o711);
    await chown(configuration, user.uid, user.gid);
  }
  const server = await startSupervised({
    command: program,
    args: ['-q', configuration],
    stopSignal: 'INT',
    logFile: path.join(dir, 'pgbouncer.log'),
    user,
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  };
  const url = new URL(databaseUrl);
  url.host = `${LOOPBACK}:${port}`;
  try {
    await whenReady(url.href, server);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: url.href, stop };
}

async function whenReady(url: string, server: SupervisedProcess): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (server.hasEnded() || Date.now() > deadline) throw error;
    } finally {
      await client.end();
    }
  }
}
