import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { KeyRing } from '@callout/core/secrets';
import { isGivenUp } from '@callout/core/settle';
import { openDatabase, openSearchPool, traceTransactions } from '@callout/db/connection';
import { reportOf, startReporting } from '@callout/db/processes';
import { applyMigrations } from '@callout/db/schema';
import { requireKeys } from '@callout/db/tenants/operator';
import {
  connectCounter,
  createFairEnqueue,
  createLivePublisher,
  createLiveSubscriber,
  createProducer,
  createPullBell,
  createPullListener,
  liveResultsOf,
} from '@callout/queue';
import { type ApiConfig, readCatalogueFiles } from '@callout/runtime/config';
import { type Logger, logRepeats } from '@callout/runtime/log';
import { startTracing } from '@callout/runtime/tracing';
import { ownVersion, startStep, type StopStep } from '@callout/runtime/process';
import { startHttpServer } from './http/server/server.ts';
import { createCounters } from './http/limits/counters.ts';
import { createApiMetrics } from './metrics/api-metrics.ts';
import { startOperatorApi } from './tenants/operator/start-operator-api.ts';
import { wireApi } from './wiring/wire.ts';

/** Half of the time to stop is for requests that are half sent, so that the other half is left to answer them. */
const mostSenderPatienceMs = 5_000;
/** Busy clients use a connection again within this time, and are told then that it ends. */
const mostIdlePatienceMs = 2_000;

/** What `main.ts` has made before anything else is loaded. */
export interface ApiStart {
  readonly config: ApiConfig;
  readonly log: Logger;
  /** How to stop what has been started; added to in the end. */
  readonly steps: StopStep[];
  readonly isStopping: () => boolean;
}

/** Starts the API. @returns the port it listens on. Rejects with the step that failed. */
export async function startApi({ config, log, steps, isStopping }: ApiStart): Promise<number> {
  const catalogue = await startStep('the catalogue, from CATALOGUE_DIR where that is set, cannot be used', async () =>
    buildCatalogue(await readCatalogueFiles(config.CATALOGUE_DIR ?? ownCatalogueDir)),
  );
  const applied = await startStep('the database that DATABASE_URL names cannot be used', () =>
    applyMigrations(config.DATABASE_URL, { log: (line) => log.warn({}, line) }),
  );
  if (applied.length > 0) log.info({ applied }, 'migrations applied');
  const connecting = {
    url: config.DATABASE_URL,
    applicationName: 'callout-api',
    onError: (err: Error) => log.warn({ err }, 'a database connection broke'),
  };
  const database = openDatabase({ ...connecting, poolSize: config.DATABASE_POOL_SIZE });
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  await startStep('SECRET_KEYS does not fit the database', () =>
    requireKeys(database.pool, keyRing, {
      isAllowed: config.ALLOW_MISSING_KEYS,
      warn: (line) => log.warn({}, line),
    }),
  );
  const searchPool = openSearchPool({ ...connecting, poolSize: config.QUERY_POOL_SIZE });
  const producer = createProducer({
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onError: logRepeats(log, 'Redis is away or refused a command'),
  });
  const countingRedis = connectCounter({ url: config.REDIS_URL });
  const build = await ownVersion();
  const tracing = await startTracing({
    endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
    service: 'callout-api',
    version: build,
    onError: logRepeats(log, 'traces could not be sent'),
  });
  if (tracing !== undefined) traceTransactions((trace) => tracing.batch(trace));
  // Only operators can read them.
  const pools = { sets: database.pool, searches: searchPool };
  const metrics =
    config.OPERATOR_TOKEN === undefined
      ? undefined
      : createApiMetrics({ version: build, pools, hasExemplars: tracing !== undefined });
  const bell = createPullBell({ redis: producer.redis, prefix: config.REDIS_PREFIX });
  const liveResults = createLivePublisher({
    redis: producer.redis,
    prefix: config.REDIS_PREFIX,
    nowMs: () => performance.now(),
  });
  const { app, intake, live, pulls, health } = wireApi({
    build,
    config,
    catalogue,
    database,
    searchPool,
    log,
    enqueueMatch: createFairEnqueue(producer),
    enqueueDeliver: (webhookKeys) => {
      producer.enqueue('deliver', { webhookKeys });
      bell.ring(webhookKeys);
    },
    isQueueReady: () => producer.isReady(),
    makeCounter: createCounters({ redis: countingRedis, prefix: config.REDIS_PREFIX, log }),
    isStopping,
    ...(metrics && { metrics }),
    tracing,
    listenForPulls: (onRing) =>
      createPullListener({
        url: config.REDIS_URL,
        prefix: config.REDIS_PREFIX,
        onRing,
        onError: logRepeats(log, 'Redis is away: requests that wait for callouts poll PostgreSQL'),
      }),
    onPullsSettled: ({ settlements, dueWebhookKeys }) => {
      bell.ring([...new Set([...dueWebhookKeys, ...settlements.map(({ callout }) => callout.webhookKey)])]);
      liveResults.publish(() => liveResultsOf(settlements));
      if (!settlements.some(isGivenUp)) return;
      // There may be mail, and a webhook that is deactivated now may have a deactivation call that is sent.
      producer.enqueue('notify', {});
      if (dueWebhookKeys.length > 0) producer.enqueue('deliver', { webhookKeys: dueWebhookKeys });
    },
    subscribeLive: (heard) =>
      createLiveSubscriber({
        url: config.REDIS_URL,
        prefix: config.REDIS_PREFIX,
        onError: logRepeats(log, 'Redis is away: there are no live events'),
        ...heard,
      }),
  });
  const senderPatienceMs = Math.min(mostSenderPatienceMs, config.DRAIN_TIMEOUT_MS / 2);
  const idlePatienceMs = Math.min(mostIdlePatienceMs, config.DRAIN_TIMEOUT_MS / 4);
  const server = await startStep('cannot listen on API_HOST and API_PORT', () =>
    startHttpServer(app, config.API_HOST, config.API_PORT, { senderPatienceMs, idlePatienceMs }),
  );
  const operatorServer = await startStep('cannot listen on OPERATOR_HOST and OPERATOR_PORT', () =>
    startOperatorApi({ config, database, log, build, metrics }),
  );
  const reporting = startReporting({
    client: database.pool,
    onError: logRepeats(log, 'the status of this process could not be stored for operators'),
    report: async () => reportOf(await health.ready(), { service: 'api', version: build, keyIds: keyRing.keyIds }),
  });
  steps.push(
    // Streams have no end of their own.
    { name: 'live streams', stop: async () => live.close() },
    { name: 'those who wait for callouts', stop: async () => pulls.stop() },
    { name: 'http server', stop: () => server.close() },
    { name: 'operator API', stop: async () => operatorServer?.close() },
    { name: 'report to operators', stop: () => reporting.stop() },
    { name: 'intake', stop: () => intake.drain() },
    { name: 'the producer', stop: () => producer.close() },
    { name: 'counters', stop: async () => countingRedis.disconnect() },
    { name: 'searches', stop: () => searchPool.end() },
    { name: 'database', stop: () => database.close() },
    { name: 'traces', stop: async () => tracing?.stop() },
  );
  log.info({ version: build, host: server.host, port: server.port }, 'listening');
  return server.port;
}
