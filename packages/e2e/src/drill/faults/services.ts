import { once } from 'node:events';
import { chmod, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@callout/local/postgres';
import { steadyPort } from '@callout/local/process';
import { startRedis } from '@callout/local/redis';
import { memoryDirectory } from '@callout/local/test-run';
import type { DrillServers } from './servers.ts';
import { connectProducer } from '@callout/queue';
import { killTree } from '@callout/testing';

/** A PostgreSQL and a Redis of the drill's own: those of the test run may not be emptied or stopped. */
export interface DrillServices extends DrillServers {
  emptyRedis(): Promise<void>;
  restartRedis(downMs: number): Promise<void>;
  /** Restarts it, and then once more with what it had at the first restart. */
  setRedisBack(afterMs: number): Promise<void>;
  restartPostgres(downMs: number): Promise<void>;
  /** kill -9: no checkpoint, no orderly end. */
  killPostgres(downMs: number): Promise<void>;
}

/** Nothing in a drill has to survive a power failure. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

export async function startDrillServices(): Promise<DrillServices> {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'callout-drill-'));
  // For root PostgreSQL runs as another user, who must get in, or its files would be put elsewhere.
  await chmod(dir, 0o711);
  const postgresAt = (port: number) =>
    startPostgres({ dataDir: path.join(dir, 'postgres'), port, settings: NOT_DURABLE });
  const redisAt = (port: number) => startRedis({ dataDir: path.join(dir, 'redis'), port });
  let [postgres, redis] = await Promise.all([postgresAt(await steadyPort()), redisAt(await steadyPort())]);
  const { url: databaseUrl } = postgres;
  const { url: redisUrl } = redis;
  return {
    databaseUrl,
    redisUrl,
    emptyRedis: () => empty(redisUrl),
    async restartRedis(downMs) {
      await redis.stop();
      await sleep(downMs);
      redis = await redisAt(redis.port);
      mustBeSame(redis.url, redisUrl);
    },
    async setRedisBack(afterMs) {
      const [dataDir, copy] = [path.join(dir, 'redis'), path.join(dir, 'redis-before')];
      await redis.stop();
      await cp(dataDir, copy, { recursive: true });
      redis = await redisAt(redis.port);
      await sleep(afterMs);
      await redis.stop();
      await rm(dataDir, { recursive: true });
      await cp(copy, dataDir, { recursive: true });
      redis = await redisAt(redis.port);
      mustBeSame(redis.url, redisUrl);
    },
    async killPostgres(downMs) {
      // The first line is the id of the server's process.
      const [pid] = (await readFile(path.join(postgres.place, 'pgdata', 'postmaster.pid'), 'utf8')).split('\n');
      await killTree(Number(pid));
      await postgres.ended;
      await postgres.stop();
      await sleep(downMs);
      postgres = await whenGone(() => postgresAt(postgres.port));
      mustBeSame(postgres.url, databaseUrl);
    },
    async restartPostgres(downMs) {
      await postgres.stop();
      await sleep(downMs);
      postgres = await postgresAt(postgres.port);
      mustBeSame(postgres.url, databaseUrl);
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const TRIES = 200;

/** The processes of a killed server take a moment to notice, and until then a new one does not start on its files. */
async function whenGone<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries === TRIES) throw error;
    }
    await sleep(100);
  }
}

/** FLUSHALL. While Redis is away it waits: there is nothing to empty. */
async function empty(url: string): Promise<void> {
  const redis = connectProducer({ url, onError: () => undefined });
  try {
    if (redis.status !== 'ready') await once(redis, 'ready');
    await redis.flushall();
  } finally {
    redis.disconnect();
  }
}

function mustBeSame(url: string, before: string): void {
  if (url !== before) throw new Error('a service came back under another address: its port was taken meanwhile');
}
