import { parseCatalogue } from '@callout/domain/catalogue/parse-catalogue';
import { ownCatalogueDir } from '@callout/domain/catalogue/catalogue-dir';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { traceTransactions } from '@callout/database/connection/transaction/transaction-trace';
import { reportOf, startReporting } from '@callout/database/report-process';
import type { ApiConfig } from '@callout/runtime/config/api';
import { readCatalogueFiles } from '@callout/runtime/config/catalogue-files';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { startTracing } from '@callout/runtime/start-tracing';
import type { StopStep } from '@callout/runtime/process/lifecycle';
import { hasFastWays } from '@callout/runtime/process/fast-ways';
import { ownVersion } from '@callout/runtime/process/own-version';
import { startStep } from '@callout/runtime/process/start-step';
import { startHttpServer } from './http/server/server.ts';
import { createApiMetrics } from './api-metrics.ts';
import { startOperatorApi } from './operator/start-operator-api.ts';
import { connectQueues } from './start/connect-queues.ts';
import { openDatabases } from './start/open-databases.ts';
import { wireApi } from './start/wire.ts';

/** Incomplete requests get a part of the time to stop, since most is for responses. */
const senderPatienceMs = 5_000;
/** Busy clients use a connection again within the time, and learn then about the end. */
const idlePatienceMs = 2_000;

/** The parts that `main.ts` makes before anything else is loaded. */
export interface ApiStart {
  readonly config: ApiConfig;
  /** For OpenTelemetry, which has separate variables, and for developers: see `hasFastWays`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Shutdown steps, in order; each start adds a step. */
  readonly steps: StopStep[];
  readonly isStopping: () => boolean;
}

/** Starts the API. @returns the port it listens on. Rejects with the step that failed. */
export async function startApi({ config, env, log, steps, isStopping }: ApiStart): Promise<number> {
  const catalogue = await startStep('the catalogue, from CATALOGUE_DIR where that is set, cannot be used', async () =>
    parseCatalogue(await readCatalogueFiles(config.CATALOGUE_DIR ?? ownCatalogueDir, ownCatalogueDir)),
  );
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const { database, searchPool, clock } = await openDatabases({ config, keyRing, log });
  const { queues, steps: queueSteps } = await connectQueues({ config, log });
  const build = await ownVersion();
  const tracing = await startTracing({
    env,
    service: 'callout-api',
    version: build,
    onError: logRepeats(log, 'traces could not be sent'),
  });
  if (tracing !== undefined) traceTransactions((trace) => tracing.batch(trace));
  // Only operators can read them.
  const pools = { sets: database.pool, changes: database.changePool, searches: searchPool };
  const metrics =
    config.OPERATOR_TOKEN === undefined
      ? undefined
      : createApiMetrics({
          version: build,
          clockAheadMs: () => clock.aheadMs(),
          catalogue,
          pools,
          hasExemplars: tracing !== undefined,
        });
  const { app, operatedTenants, api, health } = wireApi({
    build,
    config,
    catalogue,
    database,
    searchPool,
    clock,
    log,
    ...queues,
    isStopping,
    hasFastWays: hasFastWays(env),
    ...(metrics && { metrics }),
    tracing,
  });
  const server = await startStep('cannot listen on API_HOST and API_PORT', () =>
    startHttpServer(app, config.API_HOST, config.API_PORT, { senderPatienceMs, idlePatienceMs }),
  );
  const operatorServer = await startStep('cannot listen on OPERATOR_HOST and OPERATOR_PORT', () =>
    startOperatorApi({ config, database, log, build, operatedTenants, metrics }),
  );
  const reporting = startReporting({
    client: database.pool,
    onError: logRepeats(log, 'the status of this process could not be stored for operators'),
    report: async () => reportOf(await health.ready(), { service: 'api', version: build, keyIds: keyRing.keyIds }),
  });
  steps.push(
    // Streams have no end of their own.
    { name: 'requests that wait for callouts', stop: async () => api.pulls.stop() },
    { name: 'http server', stop: () => server.close() },
    { name: 'operator API', stop: async () => operatorServer?.close() },
    { name: 'report to operators', stop: () => reporting.stop() },
    { name: 'intake', stop: () => api.ingest.drain() },
    ...queueSteps,
    { name: 'the clock', stop: async () => clock.stop() },
    { name: 'searches', stop: () => searchPool.end() },
    { name: 'database', stop: () => database.close() },
    { name: 'traces', stop: async () => tracing?.stop() },
  );
  log.info({ version: build, host: server.host, port: server.port }, 'listening');
  return server.port;
}
