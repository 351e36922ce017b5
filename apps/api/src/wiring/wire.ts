import { randomBytes } from 'node:crypto';
import type { Express } from 'express';
import { checkTargetUrl, createCursors, createListCursors, KeyRing, parseCidrs, type Catalogue } from '@callout/core';
import {
  confirmAddress,
  countSignInFailures,
  createCalloutLog,
  createCalloutRepairs,
  createChildStore,
  createCredentialStore,
  createErrorLogStore,
  createEventLog,
  createIntakeCommit,
  createRecordSearch,
  createRecordStore,
  createResourceStore,
  createSimulationReader,
  createTableSearch,
  createThresholdReader,
  createUdfDefinitionStore,
  createWebhookHistory,
  createWebhookStandingReader,
  createWebhookStore,
  describeMissingKeys,
  findAnswers,
  findConfirmation,
  findMissingKeys,
  findZoneOfUser,
  findZoneUrls,
  isDatabaseAway,
  missingPartitions,
  repeatKeyOf,
  requestConfirmation,
  rotateSecret,
  type Database,
  type SearchDeps,
} from '@callout/db';
import { createHealth, keepFor, type ApiConfig, type Logger } from '@callout/runtime';
import { createApp } from './app.ts';
import { createUnsentAnswers } from '../http/answers/unsent-answers.ts';
import { createAuthenticate } from '../http/auth/authenticate.ts';
import { createBaseUrl } from '../http/server/base-url.ts';
import { createCheckSecret } from '../http/auth/check-secret.ts';
import { createFailureCounter } from '../http/auth/failure-counter.ts';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createIntake, type Intake } from '../ingest/intake.ts';
import { ADDRESS_WINDOW_S, createAddressLimit } from '../http/limits/address-limit.ts';
import { createRequestLimit, REQUEST_WINDOW_S } from '../http/limits/request-limit.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { MakeCounter } from '../http/limits/window-counter.ts';
import { createMailRecipients } from '../mail/mail-recipients.ts';
import { createRedeliveryLimit, REDELIVERY_WINDOW_S } from '../repair/redelivery-limit.ts';
import { createSearchPlaces } from '../query/search-places.ts';

interface WireDeps {
  /** Of Callout itself, such as `1.4.0`. */
  readonly build: string;
  readonly config: ApiConfig;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Connections for searches alone. */
  readonly searchPool: SearchDeps['pool'];
  readonly log: Logger;
  /** Wakes the worker for events that are committed; also told whose they are. Must not wait. */
  readonly wakeMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Wakes the worker for webhooks with callouts that have become due. Must not wait. */
  readonly wakeDeliver: (webhookKeys: number[]) => void;
  /** Whether those calls reach the queue now. */
  readonly isQueueReady: () => boolean;
  /** Counts requests for the limits. */
  readonly makeCounter: MakeCounter;
  readonly isStopping: () => boolean;
}

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const KEYS_KEPT_MS = 15_000;
/** Of the room for answers, this must be free for one to be made: with the default, the most that a page has. */
const USUAL_SHARE = 1 / 8;
/** What a test takes beyond its call: the way to the worker and back. */
const TEST_MARGIN_MS = 5_000;

/** Puts the API together: everything between a socket and the database. */
export function wireApi(deps: WireDeps): {
  app: Express;
  intake: Intake;
} {
  const { config, catalogue, database, searchPool, log, wakeMatch, wakeDeliver, makeCounter, isStopping } = deps;
  const { pool } = database;
  const intake = createIntake({
    commit: createIntakeCommit(pool),
    isDatabaseAway,
    onCommitted: wakeMatch,
    maxEventsPerCommit: config.INTAKE_BATCH_EVENTS,
    waiting: createTenantBudget(config.INTAKE_MAX_WAITING_EVENTS, {
      unavailable: 'Too many events are waiting to be stored: send this request again.',
      tooManyRequests: 'Too many events of this tenant are waiting to be stored.',
    }),
  });
  const credentials = createCredentialStore(database);
  const records = createRecordStore(database);
  const definitions = createUdfDefinitionStore(database);
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const missingKeys = keepFor(KEYS_KEPT_MS, () => findMissingKeys(pool, keyRing.keyIds), Date.now);
  const unsentAnswers = createUnsentAnswers(
    createTenantBudget(config.MAX_ANSWER_BYTES_IN_FLIGHT, {
      unavailable: 'Too many answers are waiting to be read: send this request again.',
      tooManyRequests: 'Too many answers to this tenant are waiting to be read: read those first.',
    }),
    config.MAX_ANSWER_BYTES_IN_FLIGHT * USUAL_SHARE,
  );
  const inPlace = createSearchPlaces(config.QUERY_POOL_SIZE);
  const searchDeps: SearchDeps = {
    pool: searchPool,
    timeoutMs: config.QUERY_TIMEOUT_MS,
    // Asked once more when its turn has come: what was free before it waited may be taken.
    inPlace: (tenantId, search) =>
      inPlace(tenantId, async () => {
        unsentAnswers.admit(tenantId);
        return search();
      }),
  };
  const targetPolicy = {
    allowHttp: config.ALLOW_HTTP_TARGETS,
    allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS),
  };
  const app = createApp({
    log,
    catalogue,
    intake,
    isDatabaseAway,
    build: deps.build,
    apiRoot: config.API_ROOT,
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxEventsBodyBytes: config.MAX_EVENTS_BODY_BYTES,
    maxActiveWebhooksPerEntity: config.MAX_ACTIVE_WEBHOOKS_PER_ENTITY,
    keyRing,
    cursors: createCursors(keyRing.deriveKeys('callout paging')),
    listCursors: createListCursors(keyRing.deriveKeys('callout paging')),
    recordSearch: createRecordSearch(searchDeps),
    tableSearch: createTableSearch(searchDeps),
    publicUrl: config.PUBLIC_URL,
    allowedHosts: config.ALLOWED_HOSTS,
    baseUrlOf: createBaseUrl({
      publicUrl: config.PUBLIC_URL,
      zoneUrlOf: sharedLookup((tenantIds) => findZoneUrls(database.prisma, tenantIds)),
    }),
    checkUrl: (text) => checkTargetUrl(text, targetPolicy),
    now: () => new Date(),
    trustProxy: config.TRUST_PROXY,
    bodyBudget: createTenantBudget(config.MAX_BODY_BYTES_IN_FLIGHT, {
      unavailable: 'Too many requests are being read: send this one again.',
      tooManyRequests: 'Too many large requests of this tenant are being read.',
    }),
    unsentAnswers,
    requestLimit: createRequestLimit(makeCounter('api-requests', REQUEST_WINDOW_S), config.API_REQUESTS_PER_HOUR),
    addressLimit: createAddressLimit(makeCounter('zone-lookups', ADDRESS_WINDOW_S)),
    findZoneOfUser: (foldedUserName) => findZoneOfUser(database.prisma, foldedUserName),
    authenticate: createAuthenticate({
      checkSecret: createCheckSecret({ nowMs: () => performance.now(), cacheKey: randomBytes(32) }),
      findSignIn: sharedLookup(
        (signIns) => credentials.findForSignIns(signIns),
        ({ address, foldedUserName }) => `${address} ${foldedUserName}`,
      ),
      countFailure: createFailureCounter({ count: (failures) => countSignInFailures(pool, failures), log }),
      isActiveResource: (tenantId, resourceId) => credentials.isActiveResource(tenantId, resourceId),
    }),
    findAnswer: sharedLookup((names) => findAnswers(pool, names), repeatKeyOf),
    definitions,
    udfDefinitionsOf: sharedLookup((tenantIds) => definitions.findByTenants(tenantIds)),
    wakeDeliver: (webhookKeys) => {
      if (webhookKeys.length > 0) wakeDeliver(webhookKeys);
    },
    webhooks: createWebhookStore(database),
    webhookHistory: createWebhookHistory(database),
    children: createChildStore(database),
    resources: createResourceStore(database),
    errorLogs: createErrorLogStore(database),
    calloutLog: createCalloutLog(searchDeps, pool),
    mailRecipients: createMailRecipients({
      domains: config.MAIL_DOMAINS,
      ask: config.MAIL_CONFIRM ? (tenantId, address) => requestConfirmation(pool, tenantId, address) : undefined,
      log,
    }),
    findConfirmation: (token) => findConfirmation(pool, token),
    confirmAddress: (token) => confirmAddress(pool, token),
    redeliveryLimit: createRedeliveryLimit(
      makeCounter('redeliveries', REDELIVERY_WINDOW_S),
      config.REDELIVERIES_PER_HOUR,
    ),
    repairs: createCalloutRepairs({ pool, wakeDeliver }),
    rotateSecret: (webhook, rotation) =>
      rotateSecret({ transaction: database.transaction, keyRing }, webhook, rotation),
    isQueueReady: deps.isQueueReady,
    testWaitMs: config.CALLOUT_TIMEOUT_MS + TEST_MARGIN_MS,
    isStopping,
    eventLog: createEventLog(searchDeps),
    thresholds: createThresholdReader(searchDeps),
    calloutThreshold: config.CALLOUT_THRESHOLD,
    webhookStanding: createWebhookStandingReader(searchDeps),
    simulation: createSimulationReader(pool, catalogue),
    userAgent: config.USER_AGENT,
    findRecord: (tenantId, entityType, id) => records.find(tenantId, entityType, id),
    // Redis is not among the checks: without it events are accepted all the same, and the sweep finds them.
    health: createHealth({
      log,
      isStopping,
      checks: {
        postgres: () => database.writeProblems(),
        partitions: async () => (await missingPartitions(pool, new Date())).map((name) => `${name} is missing`),
      },
      notices: async () => [
        ...(deps.isQueueReady() ? [] : ['Redis is away: events are accepted, and wait until it is back']),
        ...describeMissingKeys(await missingKeys()),
      ],
    }),
  });
  return { app, intake };
}
