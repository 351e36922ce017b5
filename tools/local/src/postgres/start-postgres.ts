import { readFile, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ifCode, hasCode } from '../error-code.ts';
import { endLeftover } from '../process/leftover.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort, LOOPBACK } from '../process/local-port.ts';
import { acquireProcessLock } from '../process/process-lock.ts';
import { startSupervised, type SupervisedProcess } from '../process/supervised-process.ts';
import { unprivilegedUser } from '../process/system-user.ts';
import { type InstalledPostgres, installedPostgres, postgresBinaries } from './binaries.ts';
import { type Cluster, ensureCluster, pgDataIn, SUPERUSER } from './cluster.ts';
import { placeFor, SHARED_PLACE } from './place.ts';

export interface PostgresOptions {
  /** Belongs to this server alone; made when missing. Data survives restarts. */
  dataDir: string;
  /** Replaced by a free one when it is in use. */
  port?: number;
  /** Made when missing; default `callout`. */
  database?: string;
  /** Server settings beyond ours, as in postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
  /** Another PostgreSQL than npm has installed: its package, or the directory with `bin/postgres` and `bin/initdb`. */
  programs?: string | InstalledPostgres;
}

export interface LocalPostgres {
  /** Connection string of the database, as superuser. */
  url: string;
  port: number;
  /**
   * Where the database files, the password and the log are: `dataDir`, or for root a directory the other user can
   * reach.
   */
  place: string;
  /** Resolves when the server has ended, also by itself. */
  ended: Promise<void>;
  /** Ends the server cleanly; a second call does nothing. */
  stop: () => Promise<void>;
}

/** Where it listens, and nothing else: what works here has to work on the server of a user, with default settings. */
const SETTINGS: Readonly<Record<string, string>> = { listen_addresses: LOOPBACK, unix_socket_directories: '' };

const START_PATIENCE_MS = 120_000;

/**
 * Starts the PostgreSQL that npm installed, on 127.0.0.1, for as long as this process lives: it ends with it, also by
 * kill -9. Works as root (PostgreSQL then runs as `postgres` or `nobody`) and as an ordinary user, from any folder.
 *
 * @throws Error when another living process runs a server on this data directory (its server is left alone), or when
 *   PostgreSQL does not start, with the end of its log.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const dataDir = path.resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await acquireProcessLock(path.join(dataDir, 'lock'));
  if (lock.kind === 'held') {
    throw new Error(
      `PostgreSQL in ${dataDir} is in use by process ${lock.pid}. Stop that one, or use another data directory.`,
    );
  }
  try {
    return await startLocked(dataDir, options, lock.release);
  } catch (error) {
    await lock.release();
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
    throw new Error(`${dataDir} holds files of another user: start as that user, or remove it.`, { cause: error });
  }
}

async function startLocked(
  dataDir: string,
  options: PostgresOptions,
  release: () => Promise<void>,
): Promise<LocalPostgres> {
  const place = await placeFor(dataDir, await unprivilegedUser(pgDataIn(dataDir)));
  const user = await unprivilegedUser(pgDataIn(place));
  const programs = options.programs ?? (await installedPostgres());
  const binaries =
    typeof programs === 'string' ? programs : await postgresBinaries(user, user ? SHARED_PLACE : dataDir, programs);
  await clearOrphan(pgDataIn(place));
  const cluster = await ensureCluster(place, binaries, user);
  const logFile = path.join(place, 'postgres.log');

  // A port that was free before may be in use when PostgreSQL binds it: then look again.
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(attempt === 1 ? options.port : undefined);
    const settings = Object.entries({ ...SETTINGS, ...options.settings, port: String(port) });
    const server = await startSupervised({
      command: path.join(binaries, 'bin', 'postgres'),
      args: ['-D', cluster.pgData, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      stopSignal: 'INT', // "fast shutdown": ends sessions, writes a checkpoint
      logFile,
      user,
    });
    try {
      const url = await whenReady(server, cluster, port, options.database ?? 'callout');
      return { url, port, place, ended: server.ended, stop: () => stop(server, release) };
    } catch (cause) {
      await server.stop();
      const log = await readFile(logFile, 'utf8');
      if (attempt < 5 && log.includes('Address already in use')) continue;
      throw new Error(`PostgreSQL did not start. The end of ${logFile}:\n${log.slice(-2000)}`, { cause });
    }
  }
}

async function stop(server: SupervisedProcess, release: () => Promise<void>): Promise<void> {
  await server.stop();
  await release();
}

/** @returns the URL of the database, once it exists and accepts connections. */
async function whenReady(server: SupervisedProcess, cluster: Cluster, port: number, database: string): Promise<string> {
  const urlOf = (name: string) => `postgresql://${SUPERUSER}:${cluster.password}@${LOOPBACK}:${port}/${name}`;
  const deadline = Date.now() + START_PATIENCE_MS; // recovery after a crash takes its time
  for (;;) {
    const client = new Client({ connectionString: urlOf('postgres') });
    client.on('error', () => undefined); // a connection lost while idle; its next use reports it
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
      return urlOf(encodeURIComponent(database));
    } catch (error) {
      if (server.hasEnded() || Date.now() > deadline) throw error;
    } finally {
      await client.end();
    }
    await sleep(25);
  }
}

/** No process has this id: process ids end far below. */
const UNUSED_PID = 2_147_483_646;

/**
 * Allows a start on files whose supervisor is gone. A stale postmaster.pid whose process id belongs to another program
 * by now would make PostgreSQL refuse to start: so it gets an id that no process has. The rest of the file stays,
 * because PostgreSQL finds leftover backends by the shared memory named in it.
 */
async function clearOrphan(pgData: string): Promise<void> {
  const file = path.join(pgData, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(ifCode('ENOENT', undefined));
  if (text === undefined) return;
  const [pid, ...rest] = text.split('\n');
  if ((await endLeftover(Number(pid), pgData, 'SIGINT')) === 'stranger') {
    await writeFile(file, [String(UNUSED_PID), ...rest].join('\n'));
  }
}
