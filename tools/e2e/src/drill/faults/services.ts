import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresOptions, startPostgres, withClient } from '@callout/local/postgres';
import { steadyPort } from '@callout/local/process';
import { startRedis } from '@callout/local/redis';
import { memoryDirectory } from '@callout/local/test-run';
import type { DrillServers } from './servers.ts';
import { connectProducer } from '@callout/queue/redis/redis';
import { killTree } from '@callout/testing';

/** A PostgreSQL and a Redis of the drill's own: those of the test run may not be emptied or stopped. */
export interface DrillServices extends DrillServers {
  emptyRedis(): Promise<void>;
  restartRedis(downMs: number): Promise<void>;
  /** Restarts it, and then once more with its data at the first restart. */
  setRedisBack(afterMs: number): Promise<void>;
  restartPostgres(downMs: number): Promise<void>;
  /** kill -9: no checkpoint, no orderly end. */
  killPostgres(downMs: number): Promise<void>;
  /** The log of PostgreSQL since its last start. */
  readonly postgresLog: string;
  /** Leaves its disk without a free byte for a while; absent where it has no disk of its own. */
  readonly fillDisk?: (forMs: number) => Promise<void>;
}

/** Nothing in a drill has to survive a power failure. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', max_wal_size: '128MB' };

interface DrillServicesOptions extends Pick<PostgresOptions, 'programs' | 'settings'> {
  /** Whether PostgreSQL gets a file system of its own, which needs root on Linux; without it, it has none. */
  readonly hasOwnDisk?: boolean;
}

/** @param options.settings in place of those that make the server faster and its files small. */
export async function startDrillServices({
  hasOwnDisk = false,
  programs,
  settings = NOT_DURABLE,
}: DrillServicesOptions = {}): Promise<DrillServices> {
  const dir = await mkdtemp(path.join(memoryDirectory(), 'callout-drill-'));
  // For root PostgreSQL runs as another user, who needs access, or its files would be put elsewhere.
  await chmod(dir, 0o711);
  const disk = hasOwnDisk ? await mountDisk(path.join(dir, 'disk')) : undefined;
  const postgresAt = (port: number) =>
    startPostgres({
      dataDir: path.join(disk?.dir ?? dir, 'postgres'),
      ...{ port, settings },
      ...(programs !== undefined && { programs }),
    });
  const redisAt = (port: number) => startRedis({ dataDir: path.join(dir, 'redis'), port });
  let [postgres, redis] = await Promise.all([postgresAt(await steadyPort()), redisAt(await steadyPort())]);
  const { url: databaseUrl } = postgres;
  const { url: redisUrl } = redis;
  const fillDisk =
    disk &&
    (async (forMs: number) => {
      let hasEnded = false;
      void postgres.ended.then(() => (hasEnded = true));
      await disk.fill();
      await mustBeFull(databaseUrl);
      await sleep(forMs);
      await disk.empty();
      // It may have given up when it could not even write its log: then it is started again, as by a supervisor.
      await whenGone(async () => {
        if (!hasEnded) return withClient(databaseUrl, (client) => client.query('SELECT 1'));
        await postgres.stop();
        postgres = await postgresAt(postgres.port);
        hasEnded = false;
        throw new Error('it is asked once more whether it stays');
      });
      mustBeSame(postgres.url, databaseUrl);
    });
  return {
    databaseUrl,
    redisUrl,
    postgresLog: path.join(postgres.place, 'postgres.log'),
    ...(fillDisk && { fillDisk }),
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
      await disk?.unmount();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const run = promisify(execFile);
/** Enough for an hour of a drill. */
const DISK_SIZE = '1500m';

/** A file system of its own, in memory. Undefined where this process may not make one. */
async function mountDisk(dir: string) {
  await mkdir(dir);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE},mode=0711`, 'tmpfs', dir]);
  } catch {
    return undefined;
  }
  const filler = path.join(dir, 'filler');
  return {
    dir,
    async fill() {
      const { bavail, bsize } = await statfs(dir);
      // PostgreSQL may use some of it meanwhile; then the rest is filled page by page.
      await run('fallocate', ['-l', String(bavail * bsize), filler]).catch(() => undefined);
      await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k', 'oflag=append', 'conv=notrunc']).catch(() => undefined);
    },
    empty: () => rm(filler, { force: true }),
    unmount: async () => void (await run('umount', ['-l', dir])),
  };
}

/** A write that needs capacity on the disk must fail; it may end the server, which cannot write its log then. */
async function mustBeFull(databaseUrl: string): Promise<void> {
  const write = `CREATE TABLE no_room AS SELECT repeat('x', 2000) AS x FROM generate_series(1, 2000)`;
  const isWritten = await withClient(databaseUrl, (client) => client.query(write)).then(
    () => true,
    () => false,
  );
  if (isWritten) throw new Error('the disk was filled, and PostgreSQL still had room to write');
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
