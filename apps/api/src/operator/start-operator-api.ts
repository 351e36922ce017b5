import type { RequestHandler } from 'express';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { openSearchPool, type Database } from '@callout/database/connection/database';
import { createConsoleLinks } from '@callout/tenancy/sessions/console-links';
import { createConsoleLinkStore } from '@callout/tenancy/sessions/links';
import { operatorTokenVersion } from '@callout/tenancy/sessions/session-tokens';
import { findZoneUrls } from '@callout/tenancy/zones';
import { createAdministration } from '@callout/tenancy/operator/administration/administration';
import { createProducer } from '@callout/queue/producer';
import { createQueueReader } from '@callout/queue/queue-figures';
import type { ApiConfig } from '@callout/runtime/config/api';
import { logRepeats } from '@callout/runtime/log/log-repeats';
import type { Logger } from '@callout/runtime/log/logger';
import { consoleDirectory } from '../console/console-files.ts';
import { startHttpServer, type HttpServer } from '../http/server/server.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { searchLimits } from '../api-limits.ts';
import { createOperatorApp } from './operator-app.ts';
import { createOperatorConsole } from './operator-console.ts';
import { rebuildQueue } from './rebuild-queue.ts';

interface StartDeps {
  readonly config: ApiConfig;
  readonly database: Database;
  readonly log: Logger;
  /** Of Callout itself. */
  readonly build: string;
  readonly operatedTenants: RequestHandler;
  readonly metrics?: ApiMetrics | undefined;
}

/** Serves the operator API where a token is set; otherwise nothing listens. */
export async function startOperatorApi(deps: StartDeps): Promise<HttpServer | undefined> {
  const { config, database, log, build } = deps;
  const token = config.OPERATOR_TOKEN;
  if (token === undefined) return undefined;
  const hasConsole = config.CONSOLE === 'on';
  const queues = createQueueReader({
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onError: logRepeats(log, 'Redis is away: the queues cannot be shown to operators'),
  });
  const app = createOperatorApp({
    log,
    token,
    administration: createAdministration(database),
    operatedTenants: deps.operatedTenants,
    pool: database.pool,
    transaction: database.transaction,
    baseUrlOf: (tenantId) => baseUrlOf(deps, tenantId),
    openSlowPool: () =>
      openSearchPool({
        url: config.DATABASE_URL,
        poolSize: 1,
        applicationName: 'callout-api',
        onError: (err) => log.warn({ err }, 'the connection of an export broke'),
      }),
    keyRing: KeyRing.parse(config.SECRET_KEYS),
    queueFigures: () => queues.figures(),
    async rebuildQueue() {
      let hasFailed = false;
      const onError = (err: Error) => {
        hasFailed = true;
        log.warn({ err }, 'Redis is away or refused a command');
      };
      const producer = createProducer({ url: config.REDIS_URL, prefix: config.REDIS_PREFIX, onError });
      try {
        return await rebuildQueue({ pool: database.pool, producer, hasFailed: () => hasFailed });
      } finally {
        await producer.close();
      }
    },
    metrics: deps.metrics,
    maxBodyBytes: config.MAX_BODY_BYTES,
    allowedHosts: config.ALLOWED_HOSTS,
    search: { pool: database.pool, timeoutMs: searchLimits.timeoutMs },
    console: hasConsole
      ? createOperatorConsole({ config, token, version: build, database, directory: consoleDirectory })
      : undefined,
    consoleLinks: hasConsole ? linksOf(deps, token) : undefined,
  });
  const server = await startHttpServer(app, config.OPERATOR_HOST, config.OPERATOR_PORT);
  log.info({ host: server.host, port: server.port }, 'operator API is listening');
  return { ...server, close: async () => void (await Promise.all([server.close(), queues.close()])) };
}

function linksOf(deps: StartDeps, token: string) {
  return createConsoleLinks({
    links: createConsoleLinkStore(deps.database),
    baseUrlOf: (tenantId) => baseUrlOf(deps, tenantId),
    operatorIdentity: { kind: 'operator', proof: operatorTokenVersion(token) },
  });
}

/** Where a tenant reaches the API; empty: unknown. */
async function baseUrlOf({ config, database }: StartDeps, tenantId: number): Promise<string> {
  const zones = config.PUBLIC_URL === undefined ? await findZoneUrls(database.prisma, [tenantId]) : undefined;
  return config.PUBLIC_URL ?? (zones?.get(tenantId) || ownAddress(config));
}

/** On the local machine the API has the address of the listener; elsewhere the address is unknown. */
function ownAddress({ API_HOST, API_PORT }: ApiConfig): string {
  const isHere = ['127.0.0.1', 'localhost', '::1'].includes(API_HOST) && API_PORT !== 0;
  return isHere ? `http://${API_HOST.includes(':') ? `[${API_HOST}]` : API_HOST}:${API_PORT}` : '';
}
