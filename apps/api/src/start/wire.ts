import express, { type Express, type RequestHandler } from 'express';
import { type Health, createHealth } from '@callout/runtime/health';
import { missingPartitions } from '@callout/database/schema/partitions';
import { describeBlockingTransactions } from '@callout/history/status/blocking-transactions';
import { describeLateMessages } from '@callout/history/status/waiting-messages';
import type { ApiContext, ApiParts } from '../api-context.ts';
import { ok, send } from '../http/api-response.ts';
import { respondToFailures, unknownPath } from '../http/failure.ts';
import { createAddressLimit } from '../http/limits/rate.ts';
import { nearestPath } from '../http/route/nearest-path.ts';
import { normalPath } from '../http/route/normal-path.ts';
import { parseQueryKeys } from '../http/route/query-keys.ts';
import { createRouteTable, type AddRoute, type Route } from '../http/route/route-table.ts';
import { jsonApiHeaders } from '../http/server/json-api-headers.ts';
import { logRequests } from '../http/server/request-log.ts';
import { addEventRoutes } from '../rest/events/event-routes.ts';
import { addCalloutRoutes } from '../rest/log/callouts/callout-routes.ts';
import { addDescribedOutcomeRoutes, addOutcomeRoutes } from '../rest/log/check/outcome-routes.ts';
import { addReadinessRoutes } from '../rest/log/check/readiness-route.ts';
import { addErrorLogRoutes } from '../rest/log/error-log-routes.ts';
import { addEventLogRoutes } from '../rest/log/event-log-routes.ts';
import { addThresholdRoutes } from '../rest/log/threshold-routes.ts';
import { confirmMail } from '../rest/webhooks/confirm-mail.ts';
import { addPullRoutes } from '../rest/pull/pull-routes.ts';
import { addRecordRoutes } from '../rest/records/record-routes.ts';
import { addRepairRoutes } from '../rest/repair/repair-routes.ts';
import { docsDirectory, docsSite } from '../rest/service/docs-site.ts';
import { createFindZone } from '../rest/service/find-zone.ts';
import { frontPage } from '../rest/service/front-page.ts';
import { addDocuments } from '../rest/service/serve-documents.ts';
import { versionsOperation } from '../rest/service/service-operations.ts';
import { addServiceRoutes } from '../rest/service/service-routes.ts';
import { addOverviewRoutes } from '../rest/statistics/overview-routes.ts';
import { addStatisticsRoutes } from '../rest/statistics/statistics-routes.ts';
import { addWebhookListRoutes } from '../rest/statistics/webhook-list-routes.ts';
import { operatedTenants } from '../operator/operated-tenants.ts';
import { addResourceRoutes } from '../rest/tenants/resource-routes.ts';
import { addDefinitionRoutes } from '../rest/tenants/definition-routes.ts';
import { addChangeRoutes } from '../rest/changes/change-routes.ts';
import { addPayloadSchemaRoutes } from '../rest/webhooks/payload-schema-routes.ts';
import { addChildRoutes } from '../rest/webhooks/children/child-routes.ts';
import { servePublicKeys } from '../rest/webhooks/signing-keys/serve-public-keys.ts';
import { publicKeysPath } from '../rest/webhooks/signing-keys/shown-keys.ts';
import { addSigningKeyRoutes } from '../rest/webhooks/signing-keys/signing-key-routes.ts';
import { addWebhookRoutes } from '../rest/webhooks/webhook-routes.ts';
import { addSoap } from '../soap/add-soap.ts';
import { createContext } from './context.ts';
import { wireConsole } from './wire-console.ts';
import { wireHttp } from './wire-http.ts';

/** The endpoints below `/v1.0`, in the order of the API's description. */
const features: readonly ((add: AddRoute, api: ApiContext) => void)[] = [
  addEventRoutes,
  addRecordRoutes,
  addResourceRoutes,
  addDefinitionRoutes,
  addDescribedOutcomeRoutes,
  addWebhookRoutes,
  addChangeRoutes,
  addPayloadSchemaRoutes,
  addChildRoutes,
  addSigningKeyRoutes,
  addRepairRoutes,
  addPullRoutes,
  addErrorLogRoutes,
  addCalloutRoutes,
  addEventLogRoutes,
  addOutcomeRoutes,
  addReadinessRoutes,
  addThresholdRoutes,
  addStatisticsRoutes,
  addOverviewRoutes,
  addWebhookListRoutes,
];

/** The whole API: everything between a socket and the database. */
export interface Wired {
  readonly app: Express;
  /** The routes below `/v1.0`. */
  readonly routes: readonly Route[];
  /** The routes for operators, for a tenant at a time. */
  readonly operatedTenants: RequestHandler;
  readonly api: ApiContext;
  readonly health: Health;
}

/** The root of the family's APIs, which their clients may have built in: it is served beside another `API_ROOT`. */
const usualRoot = 'atservicesrest';

/**
 * Puts the API together. A request runs only the necessary steps: an id and a log line, four fixed headers, a lookup of
 * the collection, then the endpoint. Paths ignore case and extra slashes.
 */
export function wireApi(parts: ApiParts): Wired {
  const api = createContext(parts);
  const { catalogue, config, log, makeCounter, metrics, tracing } = api;
  const apiRoot = config.API_ROOT;
  const health = healthOf(api);
  const consoleWiring = wireConsole(api);
  const serving = wireHttp(api, consoleWiring);
  const addressLimit = createAddressLimit(makeCounter);
  const findZone = createFindZone(api, addressLimit);
  const v1 = createRouteTable(serving);
  addServiceRoutes(v1.add, api, { requestLimit: serving.requestLimit, findZone });
  for (const addRoutes of features) addRoutes(v1.add, api);
  // The only path without a version lists the versions.
  const versions = createRouteTable(serving);
  const respond = () => ok({ apiVersions: ['V1.0'] });
  versions.add('/VersionInformation', { GET: { roles: 'anyone', schema: versionsOperation, respond } });

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', parseQueryKeys);
  app.set('trust proxy', config.TRUST_PROXY);
  // Before everything that reads the path: nothing may see a different spelling from the router.
  app.use(normalPath());
  app.use(jsonApiHeaders);
  // Before the log: probes come every few seconds, and health itself logs changes.
  app.get('/healthz', (_request, response) => send(response, health.live()));
  app.get('/readyz', async (_request, response) => send(response, await health.ready()));
  app.use(logRequests(log, metrics?.onResponse, tracing));
  app.all('/', frontPage(apiRoot, consoleWiring.isBuilt));
  app.all('/confirm-mail', confirmMail(api, addressLimit));
  app.all(`${publicKeysPath}/:id`, servePublicKeys(api, addressLimit));
  const console = consoleWiring.router({ ...serving, addressLimit });
  if (console !== undefined) app.use('/console', console);
  if (config.SOAP === 'on') addSoap(app, v1.routes, api, { ...serving, findZone });
  const roots = [...new Set([apiRoot, usualRoot])];
  app.use(
    roots.map((root) => `/${root}/v1.0`),
    v1.handler,
  );
  app.use(
    roots.map((root) => `/${root}`),
    versions.handler,
  );
  addDocuments(app, { apiRoot, catalogue, routes: { '/v1.0': v1.routes, '': versions.routes } });
  app.use('/docs', docsSite(docsDirectory));
  app.use(unknownPath((path) => nearestPath(path, { apiRoot, routes: v1.routes, entities: catalogue.entities })));
  app.use(respondToFailures(log));
  return { app, routes: v1.routes, operatedTenants: operatedTenants(v1.routes, api, serving), api, health };
}

/** Redis is not among the checks: without Redis events are accepted as well, and workers find them in PostgreSQL. */
function healthOf({ log, database, clock, queueProblem, isStopping, missingKeys }: ApiContext): Health {
  return createHealth({
    log,
    isStopping,
    checks: {
      postgres: async () => {
        const [problems] = await Promise.all([
          database.writeProblems(),
          // Models have connections, and name a schema, of their own.
          database.prisma.zone.findFirst({ select: { id: true } }),
        ]);
        return problems;
      },
      partitions: async () => (await missingPartitions(database.pool, new Date())).map((name) => `${name} is missing`),
      clock: async () => clock.problems(),
    },
    notices: async () => [
      ...clock.notices(),
      ...describeQueueProblem(queueProblem()),
      ...(await missingKeys()),
      ...(await describeBlockingTransactions(database.pool)),
      ...(await describeLateMessages(database.pool)),
    ],
  });
}

function describeQueueProblem(problem: string | null): string[] {
  return problem === null ? [] : [`${problem}. Events are accepted, and sent some seconds later than usual`];
}
