import { chmod, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { startPostgres } from '@callout/local/postgres';
import { steadyPort } from '@callout/local/process';
import { memoryDirectory } from '@callout/local/test-run';
import { type FailingRedis, startRedisCluster, startRedisSentinels } from '@callout/testing';
import { DRILL_PREFIX, type DrillServers } from './faults/servers.ts';
import type { Scenario } from './faults/scenario.ts';
import { whenReadinessIs } from './readiness.ts';

const kinds = { 'a Cluster': startRedisCluster, Sentinels: startRedisSentinels };

type RedisKind = keyof typeof kinds;

export const redisKinds = ['a Cluster', 'Sentinels'] as const satisfies readonly RedisKind[];

interface RedisServers extends DrillServers {
  readonly redis: FailingRedis;
}

async function start(kind: RedisKind, program: string): Promise<RedisServers> {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'callout-redis-'));
  // For root PostgreSQL runs as another user, who needs access.
  await chmod(dir, 0o711);
  const settings = { fsync: 'off', full_page_writes: 'off' };
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir: path.join(dir, 'postgres'), port: await steadyPort(), settings }),
    kinds[kind]({ program, dir, prefix: DRILL_PREFIX }),
  ]);
  return {
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    redis,
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * The server of Redis with the queues is killed under load, another one replaces it, and the killed one comes back as
 * its replica; no process of Callout is restarted. The API is ready all the time: it accepts events without Redis.
 */
export function redisFailover(kind: RedisKind, program: string, rounds: number): Scenario<RedisServers> {
  return {
    start: () => start(kind, program),
    plans: ({ services, api, workers }) => {
      const happen = async () => {
        await services.redis.failOver();
        await whenReadinessIs(200, [api, ...workers]);
        await services.redis.repair();
      };
      const faults = Array.from({ length: rounds }, () => ({ name: 'failed over', happen }));
      return [{ name: kind, pauseMs: [1000, 2000], faults }];
    },
  };
}
