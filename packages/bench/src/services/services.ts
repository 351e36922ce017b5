import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '@callout/local/postgres';
import { startRedis } from '@callout/local/redis';
import { createBenchDatabase } from './bench-database.ts';
import { redisServer, removeKeys } from './redis-server.ts';

/** A server of a run. */
export interface Service {
  readonly url: string;
  /** What it is and how it is set, as the server itself says. */
  readonly description: string;
  /** Its main process; undefined when it does not run on this machine. */
  readonly pid: number | undefined;
}

export interface Services {
  /** The URL names a database of this run alone. */
  readonly postgres: Service;
  readonly redis: Service;
  /** Begins every Redis key of this run. */
  readonly redisPrefix: string;
  /** Where the servers that we started keep their data. */
  readonly dataDir: string | undefined;
}

export interface ServicesOptions {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** For servers of our own; the next run uses it again. Two runs at once would measure each other: the second is refused. */
  readonly dataDir: string;
  /** Is told what undoes each step, last step first, also when a later step fails. */
  readonly onStop: (stop: () => Promise<void>) => void;
}

/** Counts statements; costs the server a few per cent. */
const STATISTICS = { shared_preload_libraries: 'pg_stat_statements' };

/** The servers named by their URLs or, where there is no URL, ones of our own. */
export async function startServices({ databaseUrl, redisUrl, dataDir, onStop }: ServicesOptions): Promise<Services> {
  const name = `callout_bench_${randomBytes(6).toString('hex')}`;
  if (databaseUrl === undefined || redisUrl === undefined) await mkdir(dataDir, { recursive: true });
  const postgres = await choosePostgres(databaseUrl, path.join(dataDir, 'postgres'), onStop);
  const redis = await chooseRedis(redisUrl, path.join(dataDir, 'redis'), onStop);

  const database = await createBenchDatabase(postgres.url, name);
  onStop(() => database.drop());
  onStop(() => removeKeys(redis.url, name));
  const server = await redisServer(redis.url, redis.dataDir);
  return {
    postgres: {
      url: database.url,
      pid: database.serverPid,
      description: `PostgreSQL ${database.version} (${postgres.origin}): ${database.settings}`,
    },
    redis: {
      url: redis.url,
      pid: server.pid,
      description: `${server.engine} (${redis.origin}): ${server.persistence}`,
    },
    redisPrefix: name,
    dataDir: databaseUrl === undefined ? dataDir : undefined,
  };
}

type OnStop = ServicesOptions['onStop'];

async function choosePostgres(given: string | undefined, dataDir: string, onStop: OnStop) {
  if (given !== undefined) return { url: given, origin: 'DATABASE_URL' };
  const { url, stop } = await startPostgres({ dataDir, settings: STATISTICS });
  onStop(stop);
  return { url, origin: 'embedded' };
}

async function chooseRedis(given: string | undefined, dataDir: string, onStop: OnStop) {
  if (given !== undefined) return { url: given, origin: 'REDIS_URL', dataDir: undefined };
  const { url, engine, stop } = await startRedis({ dataDir });
  onStop(stop);
  return { url, origin: engine.includes('WebAssembly') ? 'embedded' : 'native', dataDir };
}
