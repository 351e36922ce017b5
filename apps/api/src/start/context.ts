import { createIngestCommit } from '@callout/pipeline/ingest/ingest';
import type { ApiParts, ApiContext } from '../api-context.ts';
import { answerBytesInFlight, eventsPerCommit, eventsWaiting, pullsWaiting, searchLimits } from '../api-limits.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { ApiMetrics } from '../api-metrics.ts';
import { createIngest, type Ingest, type IngestDeps } from '../waiting/ingest.ts';
import { createCursors } from '@callout/domain/query/cursor';
import { createListCursors } from '@callout/domain/query/list-cursor';
import { parseCidrs } from '@callout/domain/target/address';
import { checkTargetUrl } from '@callout/domain/target/target';
import { KeyRing } from '@callout/domain/secrets/keyring';
import { createRecordSearch } from '@callout/history/search/records/record-search';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import { createTableSearch } from '@callout/history/search/tables/table-search';
import { findResponses } from '@callout/pipeline/ingest/idempotency-keys';
import { idempotencyKeyName } from '@callout/pipeline/ingest/idempotency-keys.rules';
import { findDefinitionsOfTenants } from '@callout/tenancy/udf-definitions';
import { findZoneUrls } from '@callout/tenancy/zones';
import { describeMissingKeys, findMissingKeys } from '@callout/tenancy/operator/missing-keys';
import { keepFor } from '@callout/runtime/concurrency/keep-for';
import { createUnsentResponses, type UnsentResponses } from '../http/responses/unsent-responses.ts';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createBaseUrl } from '../http/server/base-url.ts';
import { createPreviewPermits } from '../rest/log/check/outcome-routes.ts';
import { createPullWaiters } from '../waiting/pull-waiters.ts';
import { createSearchSlots } from '../rest/query/search-slots.ts';
import { changingInTurn } from './changes-in-turn.ts';

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const KEYS_KEPT_MS = 15_000;
/** The free part of the capacity for responses that a new response needs: with the default, the largest page. */
const USUAL_SHARE = 1 / 8;

/** Without signals: waiting requests poll. */
const hearNothing = () => ({ isListening: () => false, close: () => undefined });

export function createContext(parts: ApiParts): ApiContext {
  const { config } = parts;
  const database = changingInTurn(parts.database);
  const { pool, prisma } = database;
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const unsentResponses = createUnsentResponses(
    createTenantBudget(answerBytesInFlight, {
      unavailable: 'Too many answers are waiting to be read: send this request again.',
      tooManyRequests: 'Too many answers to this tenant are waiting to be read: read those first.',
      retryAfterS: 1,
    }),
    answerBytesInFlight * USUAL_SHARE,
  );
  const search = searchOf(parts, unsentResponses);
  const targetPolicy = { allowHttp: config.ALLOW_HTTP_TARGETS, allowCidrs: parseCidrs(config.CALLOUT_ALLOW_CIDRS) };
  const pagingKeys = keyRing.deriveKeys('callout paging');
  const findMissing = keepFor(KEYS_KEPT_MS, () => findMissingKeys(pool, keyRing.keyIds), Date.now);
  return {
    ...parts,
    database,
    enqueueDeliver(webhookKeys) {
      if (webhookKeys.length > 0) parts.enqueueDeliver(webhookKeys);
    },
    keyRing,
    search,
    tableSearch: createTableSearch(search),
    recordSearch: createRecordSearch(search),
    unsentResponses,
    cursors: createCursors(pagingKeys),
    listCursors: createListCursors(pagingKeys),
    baseUrlOf: createBaseUrl({
      publicUrl: config.PUBLIC_URL,
      zoneUrlOf: sharedLookup((tenantIds) => findZoneUrls(prisma, tenantIds)),
    }),
    udfDefinitionsOf: sharedLookup((tenantIds) => findDefinitionsOfTenants(database, tenantIds)),
    findResponse: sharedLookup(
      (keys) => findResponses(pool, keys),
      (key) => `${idempotencyKeyName(key)} ${key.requestHash?.toString('hex')}`,
    ),
    missingKeys: async () => describeMissingKeys(await findMissing()),
    ingest: ingestOf(parts),
    inPreview: createPreviewPermits(),
    pulls: createPullWaiters({ listen: parts.listenForPulls ?? hearNothing, most: pullsWaiting }),
    checkUrl: (text) => checkTargetUrl(text, targetPolicy),
  };
}

function searchOf({ limits, searchPool }: ApiParts, unsentResponses: UnsentResponses): SearchDeps {
  const withPermit = createSearchSlots(searchLimits.connections);
  return {
    pool: searchPool,
    timeoutMs: limits?.searchTimeoutMs ?? searchLimits.timeoutMs,
    // Checked once more with the slot: free capacity may be used up by the end of the wait.
    inSlot: (tenantId, search) =>
      withPermit(tenantId, async () => {
        unsentResponses.admit(tenantId);
        return search();
      }),
  };
}

/** The group commit of the process. */
function ingestOf({ database, enqueueMatch, metrics }: ApiParts): Ingest {
  const commit = createIngestCommit(database.pool);
  return createIngest({
    commit: metrics === undefined ? commit : measured(commit, metrics.onCommit),
    enqueueMatch,
    maxEventsPerCommit: eventsPerCommit,
    waiting: createTenantBudget(eventsWaiting, {
      unavailable: 'Too many events are waiting to be stored: send this request again.',
      tooManyRequests: 'Too many events of this tenant are waiting to be stored.',
      retryAfterS: 1,
    }),
  });
}

/** A commit with a report of events and duration at the end. */
function measured(commit: IngestDeps['commit'], onCommit: ApiMetrics['onCommit']): IngestDeps['commit'] {
  return async (requests) => {
    const startedAtMs = performance.now();
    const tracesOf = () => requests.map(({ traceParent }) => traceParent);
    const events = requests.reduce((sum, request) => sum + request.events.length, 0);
    try {
      const committed = await commit(requests);
      onCommit(events, performance.now() - startedAtMs, true, tracesOf);
      return committed;
    } catch (error) {
      onCommit(events, performance.now() - startedAtMs, false, tracesOf);
      throw error;
    }
  };
}
