import { readdir, rm, stat, chmod, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { ifCode } from '../error-code.ts';
import { isLocked } from '../process/process-lock.ts';
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { startPostgres } from '../postgres/start-postgres.ts';
import { listenOnLoopback, LOOPBACK } from '../process/local-port.ts';
import { startRedis } from '../redis/start-redis.ts';
import { dropTemplates } from './disposable-database.ts';
import type { SharedPostgres, SharedRedis } from './request-services.ts';
import { memoryDirectory } from './memory-directory.ts';

export interface SharedServicesOptions {
  /** A PostgreSQL to use instead of a local one; only databases made by this run are touched. */
  databaseUrl?: string | undefined;
  /** A Redis to use instead of a local one. */
  redisUrl?: string | undefined;
  /** Where the run gets a directory of its own; default: in memory, where there is capacity for it. */
  home?: string;
}

export interface SharedServices {
  /** The value of the environment variable that SHARED_SERVICES names, for the processes of the run. */
  address: string;
  /** Ends all services and removes their files. */
  stop: () => Promise<void>;
}

/**
 * Nothing in a test run has to survive a power failure. The log stays small: it may lie in memory. Many installations
 * share the server.
 */
const SHARED = { fsync: 'off', full_page_writes: 'off', max_wal_size: '256MB', max_connections: '200' };

/**
 * One PostgreSQL and one Redis for all processes of a test run, started on the first request for them: a run of pure
 * tests starts neither. They live as long as this process.
 */
export async function serveSharedServices(options: SharedServicesOptions): Promise<SharedServices> {
  const templatePrefix = `callout_test_${randomBytes(8).toString('hex')}`;
  const stops: (() => Promise<void>)[] = [];
  const runDir = once(async () => {
    const home = options.home ?? memoryDirectory();
    await removeAbandonedRuns(home);
    const dir = await mkdtemp(path.join(home, RUN_PREFIX));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o711); // as root, the user that PostgreSQL runs as has to pass
    return dir;
  });
  const services: Record<string, () => Promise<SharedPostgres | SharedRedis>> = {
    postgres: once(async () => {
      if (options.databaseUrl !== undefined) {
        const { databaseUrl } = options;
        stops.push(() => dropTemplates(databaseUrl, templatePrefix));
        return { url: databaseUrl, templatePrefix };
      }
      const postgres = await startPostgres({ dataDir: path.join(await runDir(), 'postgres'), settings: SHARED });
      stops.push(postgres.stop);
      return { url: postgres.url, templatePrefix };
    }),
    redis: once(async () => {
      if (options.redisUrl !== undefined) return { url: options.redisUrl };
      const redis = await startRedis({ dataDir: path.join(await runDir(), 'redis') });
      stops.push(redis.stop);
      return { url: redis.url };
    }),
  };

  // Passwords are served here: no other user of this machine knows the path.
  const secretPath = randomBytes(24).toString('base64url');
  const server = createServer((request, response) => {
    const [, secret, name = ''] = (request.url ?? '').split('/');
    const service = secret === secretPath ? services[name] : undefined;
    if (service) void answerWith(response, service);
    else response.writeHead(404).end();
  });
  const port = await listenOnLoopback(server);
  const stop = async () => {
    server.close();
    for (let stopOne = stops.pop(); stopOne; stopOne = stops.pop()) await stopOne();
  };
  return { address: `http://${LOOPBACK}:${port}/${secretPath}`, stop };
}

async function answerWith(response: ServerResponse, service: () => Promise<unknown>): Promise<void> {
  try {
    const body = JSON.stringify(await service());
    response.writeHead(200, { connection: 'close' }).end(body);
  } catch (error) {
    response.writeHead(500, { connection: 'close' }).end(String(error));
  }
}

/** Calls the function at the first call and returns the same promise to every later one. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => (started ??= start());
}

/** How the names of the directories of test runs begin. */
export const RUN_PREFIX = 'callout-test-';

/**
 * A run acquires its locks right after making its directory; a directory of this age without one belongs to no run any
 * more.
 */
const SETTLED_AFTER_MS = 10 * 60_000;

/** Removes files of killed test runs of this user: about 50 MB each. */
export async function removeAbandonedRuns(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const dir = path.join(home, name);
    if (name.startsWith(RUN_PREFIX) && (await isAbandoned(dir))) await rm(dir, { recursive: true, force: true });
  }
}

async function isAbandoned(dir: string): Promise<boolean> {
  const { uid, mtimeMs } = (await stat(dir).catch(ifCode('ENOENT', undefined))) ?? {};
  if (mtimeMs === undefined || uid !== process.getuid?.() || Date.now() - mtimeMs < SETTLED_AFTER_MS) return false;
  const locks = ['postgres', 'redis'].map((service) => isLocked(path.join(dir, service, 'lock')));
  return !(await Promise.all(locks)).includes(true);
}
