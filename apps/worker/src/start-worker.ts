import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { KeyRing } from '@callout/core/secrets';
import { keptDays } from '@callout/db/cleanup';
import { openDatabase, traceTransactions } from '@callout/db/connection';
import { reportOf, startReporting } from '@callout/db/processes';
import { applyMigrations, missingPartitions } from '@callout/db/schema';
import { countBacklog, describeMissingKeys, findMissingKeys, requireKeys } from '@callout/db/tenants/operator';
import { checkRedis, createProducer } from '@callout/queue';
import { keepFor } from '@callout/runtime/concurrency';
import { readCatalogueFiles, type WorkerConfig } from '@callout/runtime/config';
import { createHealth, startHealthServer } from '@callout/runtime/health';
import { type Logger, logRepeats } from '@callout/runtime/log';
import { startTracing } from '@callout/runtime/tracing';
import { ownVersion, startStep, type StopStep } from '@callout/runtime/process';
import { createWorkerMetrics } from './metrics/worker-metrics.ts';
import type { RoleDeps } from './role.ts';
import { startRoles } from './roles.ts';
import { retentionOf } from './sweep/retention-of.ts';

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const keysKeptMs = 15_000;

/** What `main.ts` has made before anything else is loaded. */
export interface WorkerStart {
  readonly config: WorkerConfig;
  readonly log: Logger;
  /** How to stop what has been started; added to in the end. */
  readonly steps: StopStep[];
  readonly isStopping: () => boolean;
}

/** Starts the roles of a worker. @returns the port of its health checks. Rejects with the step that failed. */
export async function startWorker({ config, log, steps, isStopping }: WorkerStart): Promise<number> {
  const catalogue = await startStep('the catalogue, from CATALOGUE_DIR where that is set, cannot be used', async () =>
    buildCatalogue(await readCatalogueFiles(config.CATALOGUE_DIR ?? ownCatalogueDir)),
  );
  const applied = await startStep('the database that DATABASE_URL names cannot be used', () =>
    applyMigrations(config.DATABASE_URL, { log: (line) => log.warn({}, line) }),
  );
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    applicationName: 'callout-worker',
    onError: (err) => log.warn({ err }, 'a database connection broke'),
  });
  const { pool } = database;
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  await startStep('SECRET_KEYS does not fit the database', () =>
    requireKeys(pool, keyRing, {
      isAllowed: config.ALLOW_MISSING_KEYS,
      warn: (line) => log.warn({}, line),
    }),
  );
  const redis = {
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onError: logRepeats(log, 'Redis is away or refused a command'),
  };
  const producer = createProducer(redis);
  const missingKeys = keepFor(keysKeptMs, () => findMissingKeys(pool, keyRing.keyIds), Date.now);
  const health = createHealth({
    log,
    isStopping,
    checks: {
      postgres: () => database.writeProblems(),
      partitions: async () => (await missingPartitions(pool, new Date())).map((name) => `${name} is missing`),
      async redis() {
        await producer.firstAttempt;
        return producer.isReady() ? checkRedis(producer.redis) : ['Redis is away'];
      },
    },
    notices: async () => [
      ...describeMissingKeys(await missingKeys()),
      ...(await keptDays(pool, retentionOf(config), new Date())).map(
        ({ partition, because }) => `${partition} is kept beyond its retention: ${because.join(', ')}`,
      ),
    ],
  });
  const version = await ownVersion();
  const tracing = await startTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: 'callout-worker',
    version,
    onError: logRepeats(log, 'traces could not be sent'),
  });
  if (tracing !== undefined) traceTransactions((trace) => tracing.batch(trace));
  const metrics = createWorkerMetrics({
    version,
    pool,
    isRedisReady: () => producer.isReady(),
    backlog: {
      count: () => countBacklog(pool),
      missingKeys,
      nowMs: Date.now,
      onError: logRepeats(log, 'the backlog could not be counted for /metrics'),
    },
    hasExemplars: tracing !== undefined,
  });
  const healthServer = await startStep('cannot listen on WORKER_HEALTH_HOST and WORKER_HEALTH_PORT', () =>
    startHealthServer({
      log,
      health,
      host: config.WORKER_HEALTH_HOST,
      port: config.WORKER_HEALTH_PORT,
      metrics,
    }),
  );
  const deps: RoleDeps = { config, catalogue, pool, producer, redis, log, metrics, tracing };
  const roles = config.WORKER_ROLES;
  const reporting = startReporting({
    client: pool,
    onError: logRepeats(log, 'the status of this process could not be stored for operators'),
    report: async () =>
      reportOf(await health.ready(), {
        service: 'worker',
        version,
        keyIds: keyRing.keyIds,
        roles,
        ...(roles.includes('sweep') && { retentionDays: retentionOf(config) }),
      }),
  });
  steps.push(
    ...startRoles(roles, deps),
    { name: 'report to operators', stop: () => reporting.stop() },
    { name: 'the producer', stop: () => producer.close() },
    { name: 'health server', stop: () => healthServer.close() },
    { name: 'database', stop: () => database.close() },
    { name: 'traces', stop: async () => tracing?.stop() },
  );
  log.info({ version, roles, healthPort: healthServer.port }, 'started');
  return healthServer.port;
}
