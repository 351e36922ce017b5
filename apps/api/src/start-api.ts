import { buildCatalogue, ownCatalogueDir } from '@callout/core/catalogue';
import { KeyRing } from '@callout/core/secrets';
import { traceTransactions } from '@callout/db/connection';
import { reportOf, startReporting } from '@callout/db/processes';
import { type ApiConfig, readCatalogueFiles } from '@callout/runtime/config';
import { type Logger, logRepeats } from '@callout/runtime/log';
import { startTracing } from '@callout/runtime/tracing';
import { ownVersion, startStep, type StopStep } from '@callout/runtime/process';
import { startHttpServer } from './http/server/server.ts';
import { createApiMetrics } from './metrics/api-metrics.ts';
import { startOperatorApi } from './tenants/operator/start-operator-api.ts';
import { connectQueues } from './wiring/connect-queues.ts';
import { openDatabases } from './wiring/open-databases.ts';
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
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const { database, searchPool } = await openDatabases({ config, keyRing, log });
  const { queues, steps: queueSteps } = connectQueues({ config, log });
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
  const { app, intake, live, pulls, health } = wireApi({
    build,
    config,
    catalogue,
    database,
    searchPool,
    log,
    ...queues,
    isStopping,
    ...(metrics && { metrics }),
    tracing,
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
    ...queueSteps,
    { name: 'searches', stop: () => searchPool.end() },
    { name: 'database', stop: () => database.close() },
    { name: 'traces', stop: async () => tracing?.stop() },
  );
  log.info({ version: build, host: server.host, port: server.port }, 'listening');
  return server.port;
}
