import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres, startRedis } from '@callout/local';
import { connectProducer } from '@callout/queue';
import type { Random } from './random.ts';

/** A PostgreSQL and a Redis of the drill's own: nobody else's may be emptied or stopped. */
export interface DrillServices {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  emptyRedis(): Promise<void>;
  restartRedis(downMs: number): Promise<void>;
  restartPostgres(downMs: number): Promise<void>;
  /** Ends both and removes their data. */
  stop(): Promise<void>;
}

/** Below the ports that systems take for outgoing connections: one that is given up for a moment stays free. */
const PORTS = [15_000, 29_999] as const;
/** Nothing in a drill has to survive a power failure. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off' };

export async function startDrillServices(random: Random): Promise<DrillServices> {
  const dir = await mkdtemp(path.join(tmpdir(), 'callout-drill-'));
  // For root PostgreSQL runs as another user, who must get in, or its files would be put elsewhere.
  await chmod(dir, 0o711);
  const postgresAt = (port: number) =>
    startPostgres({ dataDir: path.join(dir, 'postgres'), port, settings: NOT_DURABLE });
  const redisAt = (port: number) => startRedis({ dataDir: path.join(dir, 'redis'), port });
  let [postgres, redis] = await Promise.all([postgresAt(random.between(...PORTS)), redisAt(random.between(...PORTS))]);
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
  if (url !== before) throw new Error('a service came back under another address: somebody took its port meanwhile');
}
