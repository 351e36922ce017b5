import { chmod, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { steadyPort } from '@callout/local/process';
import { startRedis } from '@callout/local/redis';
import { memoryDirectory } from '@callout/local/test-run';
import { type PostgresPair, startMovableAddress, startPostgresPair } from '@callout/testing';
import type { Fault } from './faults/faults.ts';
import type { Scenario } from './faults/scenario.ts';
import type { DrillServers } from './faults/servers.ts';
import { whenReadinessIs } from './readiness.ts';

/** How processes find the server that accepts writes. */
export type Finding =
  /** One address, which is moved to it, as a load balancer or a virtual IP is. */
  | 'address'
  /** `DATABASE_URL` names both servers, with `target_session_attrs=read-write`. */
  | 'hosts';

interface FailoverServers extends DrillServers {
  readonly pair: PostgresPair;
  /** Moves the address to the server that accepts writes now. */
  moveAddress(): void;
}

async function start(finding: Finding): Promise<FailoverServers> {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'callout-failover-'));
  // For root PostgreSQL runs as another user, who needs access.
  await chmod(dir, 0o711);
  const [pair, redis] = await Promise.all([
    startPostgresPair(dir),
    startRedis({ dataDir: path.join(dir, 'redis'), port: await steadyPort() }),
  ]);
  const [first, second] = pair.urls().map((url) => new URL(url));
  const address = await startMovableAddress(Number(first?.port));
  const hosts = finding === 'hosts' ? `${first?.host},${second?.host}` : `127.0.0.1:${address.port}`;
  const { username, password, pathname } = new URL(pair.primaryUrl());
  return {
    databaseUrl: `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`,
    redisUrl: redis.url,
    pair,
    moveAddress: () => address.moveTo(Number(new URL(pair.primaryUrl()).port)),
    async stop() {
      await Promise.all([pair.stop(), redis.stop(), address.stop()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * PostgreSQL has a synchronous standby. The server that accepts writes is killed under load, the standby replaces it,
 * and a new standby comes; no process of Callout is restarted. While no server accepts writes, no process may be ready.
 */
export function postgresFailover(finding: Finding, rounds: number): Scenario<FailoverServers> {
  return {
    start: () => start(finding),
    plans: ({ services, api, workers }) => {
      const failOver: Fault = {
        name: 'failed over',
        happen: async () => {
          await services.pair.killPrimary();
          await whenReadinessIs(503, [api, ...workers]);
          await services.pair.promote();
          services.moveAddress();
          await whenReadinessIs(200, [api, ...workers]);
          await services.pair.replaceKilled();
        },
      };
      const faults = Array.from({ length: rounds }, () => failOver);
      return [{ name: 'PostgreSQL', pauseMs: [1000, 2000], faults }];
    },
  };
}
