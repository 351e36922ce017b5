import type { Express } from 'express';
import { checkTargetUrl, createCursors, KeyRing, parseCidrs, type Catalogue } from '@callout/core';
import {
  countSignInFailures,
  createChildStore,
  createCredentialStore,
  createErrorLogStore,
  createIntakeCommit,
  createRecordSearch,
  createRecordStore,
  createResourceStore,
  createTableSearch,
  createUdfDefinitionStore,
  createWebhookStore,
  findZoneOfUser,
  findZoneUrls,
  isDatabaseAway,
  missingPartitions,
  type Database,
  type SearchDeps,
} from '@callout/db';
import { createHealth, type ApiConfig, type Logger } from '@callout/runtime';
import { createApp } from './app.ts';
import { createAuthenticate } from './http/authenticate.ts';
import { createBaseUrl } from './http/base-url.ts';
import { createFailureCounter } from './http/failure-counter.ts';
import { sharedLookup } from './http/shared-lookup.ts';
import { createIntake, type Intake } from './intake/intake.ts';
import { ADDRESS_WINDOW_S, createAddressLimit } from './limits/address-limit.ts';
import { createRequestLimit, REQUEST_WINDOW_S } from './limits/request-limit.ts';
import type { MakeCounter } from './limits/window-counter.ts';

interface WireDeps {
  readonly config: ApiConfig;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Connections for searches alone. */
  readonly searchPool: SearchDeps['pool'];
  readonly log: Logger;
  /** Wakes the worker for events that are committed. Must not wait. */
  readonly wakeMatch: (eventIds: string[]) => void;
  /** Counts requests for the limits. */
  readonly makeCounter: MakeCounter;
  readonly isStopping: () => boolean;
}

/** Puts the API together: everything between a socket and the database. */
export function wireApi(deps: WireDeps): {
  app: Express;
  intake: Intake;
} {
  const { config, catalogue, database, searchPool, log, wakeMatch, makeCounter, isStopping } = deps;
  const { pool } = database;
  const intake = createIntake({
    commit: createIntakeCommit(pool),
    isDatabaseAway,
    onCommitted: wakeMatch,
    maxEventsPerCommit: config.INTAKE_BATCH_EVENTS,
    maxWaitingEvents: config.INTAKE_MAX_WAITING_EVENTS,
  });
  const credentials = createCredentialStore(database);
  const records = createRecordStore(database);
  const definitions = createUdfDefinitionStore(database);
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const searchDeps: SearchDeps = { pool: searchPool, timeoutMs: config.QUERY_TIMEOUT_MS };
  const targetPolicy = {
    allowHttp: config.ALLOW_HTTP_TARGETS,
    allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS),
  };
  const app = createApp({
    log,
    catalogue,
    intake,
    isDatabaseAway,
    apiRoot: config.API_ROOT,
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxEventsBodyBytes: config.MAX_EVENTS_BODY_BYTES,
    maxActiveWebhooksPerEntity: config.MAX_ACTIVE_WEBHOOKS_PER_ENTITY,
    keyRing,
    cursors: createCursors(keyRing.deriveKeys('callout paging')),
    recordSearch: createRecordSearch(searchDeps),
    tableSearch: createTableSearch(searchDeps),
    publicUrl: config.PUBLIC_URL,
    allowedHosts: config.ALLOWED_HOSTS,
    baseUrlOf: createBaseUrl({
      publicUrl: config.PUBLIC_URL,
      zoneUrlOf: sharedLookup((tenantIds) => findZoneUrls(pool, tenantIds)),
    }),
    checkUrl: (text) => checkTargetUrl(text, targetPolicy),
    now: () => new Date(),
    trustProxy: config.TRUST_PROXY,
    requestLimit: createRequestLimit(makeCounter('api-requests', REQUEST_WINDOW_S), config.API_REQUESTS_PER_HOUR),
    addressLimit: createAddressLimit(makeCounter('zone-lookups', ADDRESS_WINDOW_S)),
    findZoneOfUser: (foldedUserName) => findZoneOfUser(pool, foldedUserName),
    authenticate: createAuthenticate({
      findSignIn: sharedLookup(
        (signIns) => credentials.findForSignIns(signIns),
        ({ address, foldedUserName }) => `${address} ${foldedUserName}`,
      ),
      countFailure: createFailureCounter({ count: (failures) => countSignInFailures(pool, failures), log }),
      isActiveResource: (tenantId, resourceId) => credentials.isActiveResource(tenantId, resourceId),
    }),
    definitions,
    udfDefinitionsOf: sharedLookup((tenantIds) => definitions.findByTenants(tenantIds)),
    webhooks: createWebhookStore(database),
    children: createChildStore(database),
    resources: createResourceStore(database),
    errorLogs: createErrorLogStore(database),
    findRecord: (tenantId, entityType, id) => records.find(tenantId, entityType, id),
    // Redis is not among the checks: without it events are accepted all the same, and the sweep finds them.
    health: createHealth({
      log,
      isStopping,
      checks: {
        postgres: () => pool.query('SELECT 1'),
        partitions: async () => {
          const missing = await missingPartitions(pool, new Date());
          if (missing.length > 0) throw new Error(`partitions are missing: ${missing.join(', ')}`);
        },
      },
    }),
  });
  return { app, intake };
}
