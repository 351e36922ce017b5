import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createOwnDatabase, startPostgres, withClient } from '@callout/local/postgres';
import { startRedis } from '@callout/local/redis';
import { Redis } from 'ioredis';
import { describeMachine } from './measure/machine.ts';
import { processWithCommand } from './measure/process-table.ts';
import type { BenchDeps, Stage } from './stage.ts';

/** PostgreSQL and Redis of a run; an id is that of a main process, undefined for a server that was given. */
export interface Servers {
  readonly databaseUrl: string;
  readonly postgresPid: number | undefined;
  readonly redisUrl: string;
  readonly redisPid: number | undefined;
  /** Begins every Redis key of this run, and is the name of its database. */
  readonly name: string;
  /** The machine and the servers in words, for reports. */
  readonly description: readonly string[];
}

/** Some benchmarks start many processes. */
const SETTINGS = { max_connections: '200' };

/** The servers that DATABASE_URL and REDIS_URL name, else ones of our own, with an empty database for this run alone. */
export async function startServers({ env, dataDir }: BenchDeps, { onStop }: Stage): Promise<Servers> {
  const [givenDatabase, givenRedis] = [env['DATABASE_URL'] || undefined, env['REDIS_URL'] || undefined];
  const ownDir = async (name: string) => {
    await mkdir(dataDir, { recursive: true });
    return path.join(dataDir, name);
  };
  let [serverUrl, redisUrl, queue] = [givenDatabase, givenRedis, 'Redis at REDIS_URL'];
  if (serverUrl === undefined) {
    const started = await startPostgres({ dataDir: await ownDir('postgres'), settings: SETTINGS });
    onStop(started.stop);
    serverUrl = started.url;
  }
  if (redisUrl === undefined) {
    const started = await startRedis({ dataDir: await ownDir('redis') });
    onStop(started.stop);
    [redisUrl, queue] = [started.url, `${started.engine}, ${started.persistence}`];
  }
  const databaseUrl = await createDatabase(serverUrl, onStop);
  const name = new URL(databaseUrl).pathname.slice(1);
  const keysOf = redisUrl;
  onStop(() => removeKeys(keysOf, name));
  return {
    databaseUrl,
    // Command lines of our own servers name their data.
    postgresPid: givenDatabase === undefined ? await processWithCommand(path.join(dataDir, 'postgres')) : undefined,
    redisUrl,
    redisPid: givenRedis === undefined ? await processWithCommand(path.join(dataDir, 'redis')) : undefined,
    name,
    description: [
      `Machine:  ${describeMachine()}`,
      `Database: ${await withClient(databaseUrl, describePostgres)}`,
      `Queue:    ${queue}`,
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

async function describePostgres(client: Client): Promise<string> {
  const { rows } = await client.query<{ version: string; settings: string }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
       (SELECT string_agg(name || '=' || current_setting(name), ', ') FROM unnest($1::text[]) AS s (name)) AS settings`,
    [SHOWN_SETTINGS],
  );
  return `PostgreSQL ${rows[0]?.version}: ${rows[0]?.settings}`;
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
