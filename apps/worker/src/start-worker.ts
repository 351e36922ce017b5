import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { keptDays } from '@callout/database/cleanup/retention';
import { createClockWatch } from '@callout/database/connection/clock-watch';
import { openDatabase } from '@callout/database/connection/database';
import { traceTransactions } from '@callout/database/connection/transaction/transaction-trace';
import { databaseWaitMs, waitForDatabase } from '@callout/database/connection/wait-for-database';
import { reportOf, startReporting } from '@callout/database/report-process';
import { applyMigrations } from '@callout/database/schema/migrations';
import { missingPartitions } from '@callout/database/schema/partitions';
import { countBacklog } from '@callout/history/status/backlog';
import { describeBlockingTransactions } from '@callout/history/status/blocking-transactions';
import { describeLateMessages } from '@callout/history/status/waiting-messages';
import { describeMissingKeys, findMissingKeys, requireKeys } from '@callout/tenancy/operator/missing-keys';
import { createProducer } from '@callout/queue/producer';
import { keepFor } from '@callout/runtime/concurrency/keep-for';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import type { WorkerConfig } from '@callout/runtime/config/worker';
import { createHealth } from '@callout/runtime/health';
import { startHealthServer } from '@callout/runtime/health-server';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { startTracing } from '@callout/runtime/start-tracing';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { hasFastWays } from '@callout/runtime/process/fast-ways';
import { ownVersion } from '@callout/runtime/process/own-version';
import { startStep } from '@callout/runtime/process/start-step';
import { createWorkerMetrics } from './worker-metrics.ts';
import { usualPaces } from '@callout/pipeline/paces';
import { startRoles } from './roles.ts';
import { retentionOf } from './maintenance/retention-of.ts';

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const keysKeptMs = 15_000;

/** Values that `main.ts` has created before anything else is loaded. */
export interface WorkerStart {
  readonly config: WorkerConfig;
  /** For OpenTelemetry, which has variables of its own, and for developers: see `hasFastWays`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Shutdown steps, in order; each started part adds a step. */
  readonly steps: StopStep[];
  readonly isStopping: () => boolean;
}

/** Starts the roles of a worker. @returns the port of its health checks. Rejects with the step that failed. */
export async function startWorker({ config, env, log, steps, isStopping }: WorkerStart): Promise<number> {
  const catalogue = await startStep('the catalogue, from CATALOGUE_DIR where that is set, cannot be used', async () =>
    parseCatalogue(await readCatalogueFiles(config.CATALOGUE_DIR ?? ownCatalogueDir, ownCatalogueDir)),
  );
  const waiting = { waitMs: databaseWaitMs, log: (line: string) => log.warn({}, line) };
  const applied = await startStep('the database that DATABASE_URL names cannot be used', () =>
    applyMigrations(config.DATABASE_URL, waiting),
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
  const missing = await startStep('the keys that secrets in the database need could not be read', () =>
    waitForDatabase(() => findMissingKeys(pool, keyRing.keyIds), {
      ...waiting,
      what: 'the keys that its secrets need',
    }),
  );
  requireKeys(missing, { lostKeyIds: keyRing.lostKeyIds, warn: waiting.log });
  const clock = createClockWatch({
    client: pool,
    onError: logRepeats(log, 'the clock could not be compared with that of PostgreSQL; it is tried again'),
  });
  await waitForDatabase(() => clock.measure(), waiting);
  const redis = {
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onError: logRepeats(log, 'Redis is away or refused a command'),
  };
  const producer = createProducer(redis);
  await startStep('the Redis that REDIS_URL names cannot be used', () => producer.requirePermissions());
  const missingKeys = keepFor(keysKeptMs, () => findMissingKeys(pool, keyRing.keyIds), Date.now);
  const health = createHealth({
    log,
    isStopping,
    checks: {
      postgres: () => database.writeProblems(),
      partitions: async () => (await missingPartitions(pool, new Date())).map((name) => `${name} is missing`),
      redis: () => producer.problems(),
      clock: async () => clock.problems(),
    },
    notices: async () => [
      ...clock.notices(),
      ...describeMissingKeys(await missingKeys()),
      ...(await describeBlockingTransactions(pool)),
      ...(await describeLateMessages(pool)),
      ...(await keptDays(pool, retentionOf(config), new Date())).map(
        ({ partition, because }) => `${partition} is kept beyond its retention: ${because.join(', ')}`,
      ),
    ],
  });
  const version = await ownVersion();
  const tracing = await startTracing({
    env,
    service: 'callout-worker',
    version,
    onError: logRepeats(log, 'traces could not be sent'),
  });
  if (tracing !== undefined) traceTransactions((trace) => tracing.batch(trace));
  const metrics = createWorkerMetrics({
    version,
    pool,
    redis: producer,
    clockAheadMs: () => clock.aheadMs(),
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
  const deps = { config, paces: usualPaces, catalogue, pool, producer, redis, clock, log, metrics, tracing };
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
    ...startRoles(roles, { ...deps, hasFastWays: hasFastWays(env) }),
    { name: 'report to operators', stop: () => reporting.stop() },
    { name: 'the producer', stop: () => producer.close() },
    { name: 'the clock', stop: async () => clock.stop() },
    { name: 'health server', stop: () => healthServer.close() },
    { name: 'database', stop: () => database.close() },
    { name: 'traces', stop: async () => tracing?.stop() },
  );
  log.info({ version, roles, healthPort: healthServer.port }, 'started');
  return healthServer.port;
}
