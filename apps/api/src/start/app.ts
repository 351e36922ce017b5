import express, { type Express, type RequestHandler } from 'express';
import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { ApiConfig } from '@callout/runtime/config/api';
import type { Health } from '@callout/runtime/health/health';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing/tracing';
import { send } from '../http/api-response.ts';
import type { ServeDeps } from '../http/route/serve.ts';
import { respondToFailures, unknownPath } from '../http/errors/failure.ts';
import { hotRoutes } from '../http/route/hot-routes.ts';
import { jsonApiHeaders } from '../http/server/json-api-headers.ts';
import { nearestPath } from '../http/route/path/nearest-path.ts';
import { normalPath } from '../http/route/path/normal-path.ts';
import { parseQueryKeys } from '../http/route/query-keys.ts';
import { logRequests } from '../http/server/request-log.ts';
import { createRouteTable, type AddRoute, type Route, type RouteTable } from '../http/route/route-table.ts';
import type { ApiMetrics } from '../metrics/api-metrics.ts';
import { confirmMail, type ConfirmMailDeps } from '../rest/mail/confirm-mail.ts';
import { addDocuments } from '../rest/service/serve-documents.ts';
import { docsSite } from '../rest/service/docs-site.ts';
import { frontPage } from '../rest/service/front-page.ts';
import { versionsOperation } from '../rest/service/service-operations.ts';

export interface AppDeps {
  readonly log: Logger;
  readonly health: Health;
  readonly catalogue: Catalogue;
  /** Proxies whose headers are trusted for the address of a client. */
  readonly trustProxy: ApiConfig['TRUST_PROXY'];
  readonly isDatabaseAway: (error: unknown) => boolean;
  /** First segment of every path, before `/v1.0`. */
  readonly apiRoot: string;
  readonly serving: ServeDeps;
  /** Called for each request with a response; undefined: they are not counted. */
  readonly onResponse: ApiMetrics['onResponse'] | undefined;
  /** Traces each request; undefined: nothing is traced. */
  readonly tracing: Tracing | undefined;
  readonly confirmation: ConfirmMailDeps;
  /** Everything below `/console`; undefined: there is none. */
  readonly console: RequestHandler | undefined;
  /** Whether there is a page to lead to. */
  readonly isConsoleBuilt: boolean;
  /** Where the documentation is built to. */
  readonly docsDirectory: string;
  /** Adds the SOAP API, which is another form of these routes; undefined: there is none. */
  readonly addSoap: ((app: Express, routes: readonly Route[]) => void) | undefined;
  /** Each adds its paths below `/v1.0`. */
  readonly features: readonly ((add: AddRoute) => void)[];
}

/**
 * The whole REST API. A request runs only the necessary steps: an id and a log line, five fixed headers, one lookup of
 * the collection, then the endpoint. Writes of events and records bypass the router (`hotRoutes`). Paths ignore case
 * and extra slashes. @returns it with its routes below `/v1.0`.
 */
export function createApp(deps: AppDeps): { readonly app: Express; readonly routes: readonly Route[] } {
  const v1 = createRouteTable(deps.serving);
  for (const addRoutes of deps.features) addRoutes(v1.add);
  const versions = versionTable(deps.serving);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQueryKeys);
  app.set('trust proxy', deps.trustProxy);
  const [headers, requestLog] = [jsonApiHeaders(), logRequests(deps.log, deps.onResponse, deps.tracing)];
  app.use(hotRoutes(`/${deps.apiRoot}/v1.0`, v1.routes, [headers, requestLog]));
  // Before everything that reads the path: nothing may see another spelling than the router.
  app.use(normalPath());
  app.use(headers);
  // Before the log: probes come every few seconds, and health itself logs changes.
  app.get('/healthz', (_request, response) => send(response, deps.health.live()));
  app.get('/readyz', async (_request, response) => send(response, await deps.health.ready()));
  app.use(requestLog);
  app.all('/', frontPage(deps.apiRoot, deps.isConsoleBuilt));
  app.all('/confirm-mail', confirmMail(deps.confirmation));
  if (deps.console !== undefined) app.use('/console', deps.console);
  deps.addSoap?.(app, v1.routes);
  app.use(`/${deps.apiRoot}/v1.0`, v1.handler);
  app.use(`/${deps.apiRoot}`, versions.handler);
  const { apiRoot, catalogue } = deps;
  addDocuments(app, { apiRoot, catalogue, routes: { '/v1.0': v1.routes, '': versions.routes } });
  app.use('/docs', docsSite(deps.docsDirectory));
  app.use(unknownPath((path) => nearestPath(path, { apiRoot, routes: v1.routes })));
  app.use(respondToFailures(deps));
  return { app, routes: v1.routes };
}

/** The one path without a version: it lists the versions. */
function versionTable(deps: ServeDeps): RouteTable {
  const table = createRouteTable(deps);
  table.add('/VersionInformation', {
    GET: {
      roles: 'anyone',
      schema: versionsOperation,
      respond: () => ({ status: 200, body: { apiVersions: ['V1.0'] } }),
    },
  });
  return table;
}
