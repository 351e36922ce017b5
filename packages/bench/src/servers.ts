import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createOwnDatabase, startPostgres, withClient } from '@callout/local/postgres';
import { startRedis } from '@callout/local/redis';
import { Redis } from 'ioredis';
import { describeMachine } from './measure/machine.ts';
import { commandOf, parentOf, processWithCommand } from './measure/process-table.ts';
import { startReceiver, type StartedReceiver } from './receiver/start-receiver.ts';
import { onStage, type BenchDeps, type Stage } from './stage.ts';

/** PostgreSQL or Redis of a run. */
interface Server {
  readonly url: string;
  /** Its main process; undefined when it does not run on this machine. */
  readonly pid: number | undefined;
}

export interface Servers {
  readonly postgres: Server;
  readonly redis: Server;
  /** Begins every Redis key of this run, and is the name of its database. */
  readonly name: string;
  /** The machine and the servers in words, for reports. */
  readonly description: readonly string[];
}

/** Statements are counted, which costs the server a few per cent, and some benchmarks start many processes. */
const SETTINGS = { shared_preload_libraries: 'pg_stat_statements', max_connections: '200' };

/** What a comparison of several installations shares. */
export interface SharedServers {
  readonly servers: Servers;
  readonly receiver: StartedReceiver;
}

/** Compares installations that use the same servers and receiver, one after the other. */
export function onSharedServers<T>(
  deps: BenchDeps,
  compare: (shared: SharedServers, stage: Stage) => Promise<T>,
  isGood: (result: T) => boolean,
): Promise<T> {
  return onStage(
    deps,
    async (stage) => {
      deps.report('Starting PostgreSQL, Redis and receiver …');
      const servers = await stage.guarded(startServers(deps, stage));
      return compare({ servers, receiver: await startReceiver(stage) }, stage);
    },
    isGood,
  );
}

/** The servers that DATABASE_URL and REDIS_URL name, else ones of our own, with an empty database for this run alone. */
export async function startServers({ env, dataDir }: BenchDeps, { onStop }: Stage): Promise<Servers> {
  const [databaseUrl, redisUrl] = [env['DATABASE_URL'] || undefined, env['REDIS_URL'] || undefined];
  if (databaseUrl === undefined || redisUrl === undefined) await mkdir(dataDir, { recursive: true });
  let serverUrl = databaseUrl;
  if (serverUrl === undefined) {
    const started = await startPostgres({ dataDir: path.join(dataDir, 'postgres'), settings: SETTINGS });
    onStop(started.stop);
    serverUrl = started.url;
  }
  const redis = await chooseRedis(redisUrl, path.join(dataDir, 'redis'), onStop);
  const url = await createDatabase(serverUrl, onStop);
  const name = new URL(url).pathname.slice(1);
  onStop(() => removeKeys(redis.url, name));
  const { pid, description } = await withClient(url, describePostgres);
  return {
    postgres: { url, pid },
    redis: { url: redis.url, pid: redis.pid },
    name,
    description: [
      `Machine:  ${await describeMachine(databaseUrl === undefined ? dataDir : undefined)}`,
      `Database: ${description}`,
      `Queue:    ${redis.description}`,
    ],
  };
}

/** Makes an empty database, which is dropped with the run. @returns its URL. */
export async function createDatabase(serverUrl: string, onStop: Stage['onStop']): Promise<string> {
  const { url, drop } = await createOwnDatabase(serverUrl, 'callout_bench');
  onStop(drop);
  return url;
}

const SHOWN_SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'shared_buffers'];

type Client = Parameters<Parameters<typeof withClient>[1]>[0];

async function describePostgres(client: Client): Promise<{ pid: number | undefined; description: string }> {
  const { rows } = await client.query<{ version: string; settings: string; pid: number; isLocal: boolean }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_backend_pid() AS pid,
       (SELECT string_agg(name || '=' || current_setting(name), ', ') FROM unnest($1::text[]) AS s (name)) AS settings,
       coalesce(inet_server_addr() = inet_client_addr(), true) AS "isLocal"`,
    [SHOWN_SETTINGS],
  );
  const [{ version, settings, pid, isLocal } = { version: '?', settings: '', pid: 0, isLocal: false }] = rows;
  return {
    description: `PostgreSQL ${version}: ${settings}`,
    // The parent of the process that serves us, provided that a process with that id here is a PostgreSQL.
    pid: isLocal ? await parentOf(pid, 'postgres') : undefined,
  };
}

async function chooseRedis(given: string | undefined, dataDir: string, onStop: Stage['onStop']) {
  if (given !== undefined) return { url: given, ...(await redisInWords(given)) };
  const { url, engine, persistence, stop } = await startRedis({ dataDir });
  onStop(stop);
  const { pid } = await redisInWords(url);
  // The command line of the embedded one names its data.
  return { url, description: `${engine}, ${persistence}`, pid: pid ?? (await processWithCommand(dataDir)) };
}

async function redisInWords(url: string): Promise<{ description: string; pid: number | undefined }> {
  const redis = new Redis(url);
  try {
    const info = await redis.info('server');
    const fieldOf = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
    const pid = Number(fieldOf('process_id'));
    // The id that the server gives itself, if the process with that id here is one: it may run elsewhere.
    const isHere =
      ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname) &&
      /redis|valkey/.test((await commandOf(pid)) ?? '');
    const description = `Redis ${fieldOf('redis_version') ?? '?'} at REDIS_URL`;
    return { description, pid: isHere ? pid : undefined };
  } finally {
    redis.disconnect();
  }
}

/** Removes what a run left under its prefix, and nothing else. */
async function removeKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(...(keys as string[]));
    }
  } finally {
    redis.disconnect();
  }
}
