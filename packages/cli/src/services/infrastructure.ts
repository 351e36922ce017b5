import { once } from 'node:events';
import path from 'node:path';
import { startPostgres } from '@callout/local/postgres';
import { startRedis } from '@callout/local/redis';
import { checkRedis, connectProducer } from '@callout/queue/redis/redis';
import { CannotGoOn, reasonOf, whereIs } from '../cannot-go-on.ts';
import type { DataDirectory } from '../data-directory.ts';
import type { Ports } from './ports.ts';

/** A PostgreSQL or a Redis: our own, or the user's. */
export interface Server {
  readonly url: string;
  /** Its description for people. */
  readonly description: string;
  /** Undefined for the user's. */
  readonly own?: {
    readonly port: number;
    /** Where the files are, when not in the data directory. */
    readonly place?: string;
    /** Resolves when it has ended. */
    readonly ended: Promise<void>;
    readonly stop: () => Promise<void>;
  };
}

/** @param url of the user's; undefined starts one. */
export async function providePostgres(
  url: string | undefined,
  directory: DataDirectory,
  { postgres: port }: Ports,
): Promise<Server> {
  if (url !== undefined) return { url, description: `yours: ${whereIs(url)}` };
  const server = await started('PostgreSQL', () =>
    startPostgres({ dataDir: directory.file('postgres'), ...(port === undefined ? {} : { port }) }),
  );
  const isOutside = path.relative(directory.path, server.place).startsWith('..');
  return {
    url: server.url,
    description: server.url,
    own: { port: server.port, ended: server.ended, stop: server.stop, ...(isOutside ? { place: server.place } : {}) },
  };
}

/** @param url of the user's; undefined starts one. */
export async function provideRedis(
  url: string | undefined,
  directory: DataDirectory,
  { redis: port }: Ports,
): Promise<Server> {
  if (url !== undefined) {
    await mustServe(url);
    return { url, description: `yours: ${whereIs(url)}` };
  }
  const server = await started('Redis', () =>
    startRedis({ dataDir: directory.file('redis'), ...(port === undefined ? {} : { port }) }),
  );
  return {
    url: server.url,
    description: `${server.url}  (${server.engine}, ${server.persistence})`,
    own: { port: server.port, ended: server.ended, stop: server.stop },
  };
}

async function started<T>(name: string, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    throw new CannotGoOn(`${name}: ${reasonOf(cause)}`, { cause });
  }
}

/** Checked before anything is started: a worker would wait for its Redis silently. */
async function mustServe(url: string): Promise<void> {
  const redis = connectProducer({ url, onError: () => undefined });
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(10_000) });
    const problems = await checkRedis(redis);
    if (problems.length > 0) throw new Error(problems.join('; '));
  } catch (cause) {
    throw new CannotGoOn(`REDIS_URL: cannot use ${whereIs(url)}: ${reasonOf(cause)}`, { cause });
  } finally {
    redis.disconnect();
  }
}
