import { type Database, isDatabaseAway } from '@callout/db/connection';
import { createAdministration } from '@callout/db/tenants/operator';
import type { ApiConfig } from '@callout/runtime/config';
import type { Logger } from '@callout/runtime/log';
import { startHttpServer, type HttpServer } from '../../http/server/server.ts';
import { createOperatorApp } from './operator-app.ts';

interface StartDeps {
  readonly config: Pick<ApiConfig, 'OPERATOR_TOKEN' | 'OPERATOR_HOST' | 'OPERATOR_PORT' | 'MAX_BODY_BYTES'>;
  readonly database: Database;
  readonly log: Logger;
}

/** Serves the operator API where there is a token for it; else there is none, and nothing listens. */
export async function startOperatorApi({ config, database, log }: StartDeps): Promise<HttpServer | undefined> {
  const token = config.OPERATOR_TOKEN;
  if (token === undefined) return undefined;
  const administration = createAdministration(database);
  const app = createOperatorApp({ log, token, administration, isDatabaseAway, maxBodyBytes: config.MAX_BODY_BYTES });
  const server = await startHttpServer(app, config.OPERATOR_HOST, config.OPERATOR_PORT);
  log.info({ host: server.host, port: server.port }, 'operator API is listening');
  return server;
}
