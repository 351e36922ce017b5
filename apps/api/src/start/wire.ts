import type { Express } from 'express';
import { type Health, createHealth } from '@callout/runtime/health/health';
import { missingPartitions } from '@callout/database/schema/partitions';
import { describeBlockingTransactions } from '@callout/history/status/blocking-transactions';
import { isDatabaseAway } from '@callout/database/connection/database-away';
import { findZoneOfUser } from '@callout/tenancy/zones';
import { createAddressLimit } from '../http/limits/rate.ts';
import type { Route } from '../http/route/route-table.ts';
import type { Ingest } from '../rest/events/ingest.ts';
import type { LiveHub } from '../live/live-hub.ts';
import type { PullWaiters } from '../rest/pull/pull-waiters.ts';
import { docsDirectory } from '../rest/service/docs-site.ts';
import { createFindZone } from '../rest/service/find-zone.ts';
import { addServiceRoutes } from '../rest/service/service-routes.ts';
import { createApp } from './app.ts';
import { createContext, type WireDeps, type ApiContext } from './context.ts';
import { wireConsole } from './wire-console.ts';
import { wireHttp } from './wire-http.ts';
import { wireIngest } from './wire-ingest.ts';
import { wireLive, wireLog, wirePull, wireRepair, wireStatistics } from './wire-deliveries.ts';
import { wireMail } from './wire-mail.ts';
import { wireSoap } from './wire-soap.ts';
import { wireTenants, wireWebhooks } from './wire-webhooks.ts';

/** Puts the API together: everything between a socket and the database. Each feature is wired by a function of its own. */
export function wireApi(deps: WireDeps): {
  app: Express;
  routes: readonly Route[];
  ingest: Ingest;
  live: LiveHub;
  pulls: PullWaiters;
  health: Health;
} {
  const { build, config, catalogue, database, log } = deps;
  const context = createContext(deps);
  const consoleWiring = wireConsole(context);
  const serving = wireHttp(context, consoleWiring);
  const addressLimit = createAddressLimit(deps.makeCounter);
  const findZone = createFindZone({
    publicUrl: config.PUBLIC_URL,
    addressLimit,
    findZoneOfUser: (foldedUserName) => findZoneOfUser(database.prisma, foldedUserName, config.ZONE_OF_UNKNOWN_USERS),
  });
  const mail = wireMail(context, addressLimit);
  const live = wireLive(context);
  const pull = wirePull(context);
  const ingest = wireIngest(context);
  const health = wireHealth(context);
  const { app, routes } = createApp({
    log,
    isDatabaseAway,
    catalogue,
    apiRoot: config.API_ROOT,
    trustProxy: config.TRUST_PROXY,
    serving,
    onResponse: deps.metrics?.onResponse,
    tracing: deps.tracing,
    health,
    confirmation: mail.confirmation,
    console: consoleWiring.router({ ...serving, addressLimit }),
    isConsoleBuilt: consoleWiring.isBuilt,
    docsDirectory,
    addSoap: wireSoap(context, serving, findZone),
    // In the order of the API's description.
    features: [
      (add) =>
        addServiceRoutes(add, {
          apiRoot: config.API_ROOT,
          build,
          requestLimit: serving.requestLimit,
          findZone,
        }),
      ingest.addRoutes,
      wireTenants(context, mail.recipients),
      wireWebhooks(context, mail.recipients),
      wireRepair(context),
      pull.addRoutes,
      wireLog(context),
      wireStatistics(context),
      live.addRoutes,
    ],
  });
  return { app, routes, ingest: ingest.ingest, live: live.hub, pulls: pull.waiters, health };
}

/** Redis is not among the checks: without it events are accepted all the same, and the sweep finds them. */
function wireHealth({ log, database, isQueueReady, isStopping, missingKeys }: ApiContext): Health {
  return createHealth({
    log,
    isStopping,
    checks: {
      postgres: () => database.writeProblems(),
      partitions: async () => (await missingPartitions(database.pool, new Date())).map((name) => `${name} is missing`),
    },
    notices: async () => [
      ...(isQueueReady() ? [] : ['Redis is away: events are accepted, and wait until it is back']),
      ...(await missingKeys()),
      ...(await describeBlockingTransactions(database.pool)),
    ],
  });
}
