import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import { createCursors } from '@callout/domain/query/cursors/cursor';
import { createListCursors } from '@callout/domain/query/cursors/list-cursor';
import { KeyRing } from '@callout/domain/secrets/keyring';
import type { Database } from '@callout/database/connection/database';
import type { SettledPulls } from '@callout/pipeline/pull/settle-pulls';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import { createTableSearch } from '@callout/history/search/tables/table-search';
import { createUdfDefinitionStore } from '@callout/tenancy/udf-definitions';
import { findZoneUrls } from '@callout/tenancy/zones';
import { describeMissingKeys, findMissingKeys } from '@callout/tenancy/operator/missing-keys';
import { keepFor } from '@callout/runtime/concurrency/keep-for';
import type { ApiConfig } from '@callout/runtime/config/api';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing/tracing';
import { createUnsentResponses, type UnsentResponses } from '../http/responses/unsent-responses.ts';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { MakeCounter } from '../http/limits/rate.ts';
import { createBaseUrl } from '../http/server/base-url.ts';
import type { SubscribeLive } from '../live/live-hub.ts';
import type { ApiMetrics } from '../metrics/api-metrics.ts';
import type { ListDeps } from '../rest/log/filter/filtered-list.ts';
import type { QueryDeps } from '../rest/query/query-routes.ts';
import { createSearchSlots } from '../rest/query/search-slots.ts';
import type { PullWaitersDeps } from '../rest/pull/pull-waiters.ts';
import type { TableQueryDeps } from '../rest/query/table-rows.ts';
import type { UserDefinedFieldDeps } from '../rest/metadata/user-defined-fields.ts';

/** The dependencies of the API. */
export interface WireDeps {
  /** Of Callout itself, such as `1.4.0`. */
  readonly build: string;
  readonly config: ApiConfig;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Connections for searches alone. */
  readonly searchPool: SearchDeps['pool'];
  readonly log: Logger;
  /** Enqueues committed events for the worker, with their tenants. Must not wait. */
  readonly enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Names webhooks with callouts that have become due in a job for the worker. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
  /** Whether those calls reach the queue now. */
  readonly isQueueReady: () => boolean;
  /** Counts requests for the limits. */
  readonly makeCounter: MakeCounter;
  readonly isStopping: () => boolean;
  /** Counts the activity of this process; absent: not counted. */
  readonly metrics?: ApiMetrics;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Subscribes to results of workers; absent: nothing is shown live. */
  readonly subscribeLive?: SubscribeLive;
  /** Subscribes to signals of webhooks with callouts to fetch; absent: waiting requests poll. */
  readonly listenForPulls?: PullWaitersDeps['listen'];
  /** Called with the results of fetched callouts. Must not wait. */
  readonly onPullsSettled?: (settled: SettledPulls) => void;
  /** Where the console was built to, in place of where it usually is. */
  readonly consoleDirectory?: string;
}

/** Objects that several features share: each exists once. */
export interface ApiContext extends WireDeps {
  readonly keyRing: KeyRing;
  readonly definitions: ReturnType<typeof createUdfDefinitionStore>;
  /** Searches, each with its slot and its capacity for a response. */
  readonly search: SearchDeps;
  readonly unsentResponses: UnsentResponses;
  /** Dependencies of every collection with queries. */
  readonly queries: QueryDeps & TableQueryDeps & UserDefinedFieldDeps & ListDeps;
  /** Describes the keys of secrets that the key ring lacks. */
  readonly missingKeys: () => Promise<string[]>;
}

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const KEYS_KEPT_MS = 15_000;
/** Of the capacity for responses, this must be free for one to be made: with the default, the most that a page has. */
const USUAL_SHARE = 1 / 8;

export function createContext(deps: WireDeps): ApiContext {
  const { config, database } = deps;
  const { pool } = database;
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const unsentResponses = createUnsentResponses(
    createTenantBudget(config.MAX_ANSWER_BYTES_IN_FLIGHT, {
      unavailable: 'Too many answers are waiting to be read: send this request again.',
      tooManyRequests: 'Too many answers to this tenant are waiting to be read: read those first.',
      retryAfterS: 1,
    }),
    config.MAX_ANSWER_BYTES_IN_FLIGHT * USUAL_SHARE,
  );
  const search = searchOf(deps, unsentResponses);
  const definitions = createUdfDefinitionStore(database);
  const findMissing = keepFor(KEYS_KEPT_MS, () => findMissingKeys(pool, keyRing.keyIds), Date.now);
  return {
    ...deps,
    enqueueDeliver: (webhookKeys) => {
      if (webhookKeys.length > 0) deps.enqueueDeliver(webhookKeys);
    },
    keyRing,
    definitions,
    search,
    unsentResponses,
    queries: {
      apiRoot: config.API_ROOT,
      maxBodyBytes: config.MAX_BODY_BYTES,
      cursors: createCursors(keyRing.deriveKeys('callout paging')),
      listCursors: createListCursors(keyRing.deriveKeys('callout paging')),
      baseUrlOf: createBaseUrl({
        publicUrl: config.PUBLIC_URL,
        zoneUrlOf: sharedLookup((tenantIds) => findZoneUrls(database.prisma, tenantIds)),
      }),
      tableSearch: createTableSearch(search),
      udfDefinitionsOf: sharedLookup((tenantIds) => definitions.findByTenants(tenantIds)),
    },
    missingKeys: async () => describeMissingKeys(await findMissing()),
  };
}

function searchOf({ config, searchPool }: WireDeps, unsentResponses: UnsentResponses): SearchDeps {
  const withPermit = createSearchSlots(config.QUERY_POOL_SIZE);
  return {
    pool: searchPool,
    timeoutMs: config.QUERY_TIMEOUT_MS,
    // Checked once more with the slot: capacity that was free before the wait may be used.
    inSlot: (tenantId, search) =>
      withPermit(tenantId, async () => {
        unsentResponses.admit(tenantId);
        return search();
      }),
  };
}
