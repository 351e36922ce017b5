import { buildCatalogue, ownCatalogueDir } from '@callout/core';
import { applyMigrations, checkServer, keptDays, missingPartitions, openDatabase } from '@callout/db';
import { checkRedis, createProducer } from '@callout/queue';
import {
  createHealth,
  createLogger,
  parseConfigOrExit,
  readCatalogueFiles,
  startHealthServer,
  stopOnSignals,
  workerConfig,
  type StopStep,
} from '@callout/runtime';
import { startDeliver } from './roles/deliver.ts';
import { startMatch } from './roles/match.ts';
import { startNotify } from './roles/notify.ts';
import type { RoleDeps } from './roles/role.ts';
import { retentionOf, startSweep } from './roles/sweep.ts';

const roles = { match: startMatch, deliver: startDeliver, notify: startNotify, sweep: startSweep };

const config = parseConfigOrExit(workerConfig, process.env, process);
const log = createLogger({ service: 'worker', level: config.LOG_LEVEL });
const steps: StopStep[] = [];
const lifecycle = stopOnSignals({ log, drainTimeoutMs: config.DRAIN_TIMEOUT_MS, process }, steps);

try {
  const catalogue = buildCatalogue(await readCatalogueFiles(config.CATALOGUE_DIR ?? ownCatalogueDir));
  const applied = await applyMigrations(config.DATABASE_URL, { log: (line) => log.warn({}, line) });
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'callout-worker',
    onError: (err) => log.warn({ err }, 'a database connection broke'),
  });
  const { pool } = database;
  await checkServer(pool);
  const redis = {
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onError: (err: Error) => log.warn({ err }, 'Redis is away or refused a command'),
  };
  const producer = createProducer(redis);
  const health = createHealth({
    log,
    isStopping: () => lifecycle.isStopping(),
    checks: {
      postgres: () => pool.query('SELECT 1'),
      partitions: async () => mustBeEmpty('partitions are missing', await missingPartitions(pool, new Date())),
      redis: async () => mustBeEmpty('Redis does not fit', await checkRedis(producer.redis)),
    },
    notices: async () =>
      (await keptDays(pool, retentionOf(config), new Date())).map(
        ({ partition, because }) => `${partition} is kept beyond its retention: ${because.join(', ')}`,
      ),
  });
  const healthServer = await startHealthServer({
    health,
    host: config.WORKER_HEALTH_HOST,
    port: config.WORKER_HEALTH_PORT,
  });
  const deps: RoleDeps = { config, catalogue, pool, producer, redis, log };
  steps.push(
    ...config.WORKER_ROLES.flatMap((role) => roles[role](deps)),
    { name: 'wake-up calls', stop: () => producer.close() },
    { name: 'health server', stop: () => healthServer.close() },
    { name: 'database', stop: () => database.close() },
  );
  log.info({ roles: config.WORKER_ROLES, healthPort: healthServer.port }, 'started');
} catch (err) {
  log.fatal({ err }, 'could not start');
  process.exit(1);
}

function mustBeEmpty(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(`${what}: ${problems.join('; ')}`);
}
