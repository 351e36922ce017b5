import type { Catalogue } from '@callout/core/catalogue';
import { createCursors, createListCursors } from '@callout/core/query';
import { KeyRing } from '@callout/core/secrets';
import type { Database } from '@callout/db/connection';
import type { SettledPulls } from '@callout/db/pull';
import { createTableSearch, type SearchDeps } from '@callout/db/search';
import { createUdfDefinitionStore, findZoneUrls } from '@callout/db/tenants';
import { describeMissingKeys, findMissingKeys } from '@callout/db/tenants/operator';
import { keepFor } from '@callout/runtime/concurrency';
import type { ApiConfig } from '@callout/runtime/config';
import type { Logger } from '@callout/runtime/log';
import type { Tracing } from '@callout/runtime/tracing';
import { createUnsentAnswers, type UnsentAnswers } from '../http/answers/unsent-answers.ts';
import { sharedLookup } from '../http/auth/shared-lookup.ts';
import { createTenantBudget } from '../http/limits/tenant-budget.ts';
import type { MakeCounter } from '../http/limits/window-counter.ts';
import { createBaseUrl } from '../http/server/base-url.ts';
import type { SubscribeLive } from '../live/live-hub.ts';
import type { ApiMetrics } from '../metrics/api-metrics.ts';
import type { ListDeps } from '../log/filter/filtered-list.ts';
import type { QueryDeps } from '../query/query-routes.ts';
import { createSearchSlots } from '../query/search-slots.ts';
import type { PullWaitersDeps } from '../pull/pull-waiters.ts';
import type { TableQueryDeps } from '../query/table-rows.ts';
import type { UserDefinedFieldDeps } from '../tenants/udf/user-defined-fields.ts';

/** What the API is started with. */
export interface WireDeps {
  /** Of Callout itself, such as `1.4.0`. */
  readonly build: string;
  readonly config: ApiConfig;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Connections for searches alone. */
  readonly searchPool: SearchDeps['pool'];
  readonly log: Logger;
  /** Enqueues events that are committed for the worker; also told whose they are. Must not wait. */
  readonly enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Names webhooks with callouts that have become due in a job for the worker. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
  /** Whether those calls reach the queue now. */
  readonly isQueueReady: () => boolean;
  /** Counts requests for the limits. */
  readonly makeCounter: MakeCounter;
  readonly isStopping: () => boolean;
  /** Counts what this process does; absent: not counted. */
  readonly metrics?: ApiMetrics;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Hears what workers tell of callouts; absent: nothing is told live. */
  readonly subscribeLive?: SubscribeLive;
  /** Hears which webhooks have something to fetch; absent: those who wait look on their own. */
  readonly listenForPulls?: PullWaitersDeps['listen'];
  /** Told of what became of fetched callouts. Must not wait. */
  readonly onPullsSettled?: (settled: SettledPulls) => void;
  /** Where the console was built to, in place of where it usually is. */
  readonly consoleDirectory?: string;
}

/** What several features need: each is there once. */
export interface ApiContext extends WireDeps {
  readonly keyRing: KeyRing;
  readonly definitions: ReturnType<typeof createUdfDefinitionStore>;
  /** Searches, each with its slot and its room for an answer. */
  readonly search: SearchDeps;
  readonly unsentAnswers: UnsentAnswers;
  /** What every collection with queries needs. */
  readonly queries: QueryDeps & TableQueryDeps & UserDefinedFieldDeps & ListDeps;
  /** Keys of secrets that the key ring lacks, in words. */
  readonly missingKeys: () => Promise<string[]>;
}

/** Probes come every few seconds, and a ring hardly ever lacks a key. */
const KEYS_KEPT_MS = 15_000;
/** Of the room for answers, this must be free for one to be made: with the default, the most that a page has. */
const USUAL_SHARE = 1 / 8;

export function createContext(deps: WireDeps): ApiContext {
  const { config, database } = deps;
  const { pool } = database;
  const keyRing = KeyRing.parse(config.SECRET_KEYS);
  const unsentAnswers = createUnsentAnswers(
    createTenantBudget(config.MAX_ANSWER_BYTES_IN_FLIGHT, {
      unavailable: 'Too many answers are waiting to be read: send this request again.',
      tooManyRequests: 'Too many answers to this tenant are waiting to be read: read those first.',
    }),
    config.MAX_ANSWER_BYTES_IN_FLIGHT * USUAL_SHARE,
  );
  const search = searchOf(deps, unsentAnswers);
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
    unsentAnswers,
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

function searchOf({ config, searchPool }: WireDeps, unsentAnswers: UnsentAnswers): SearchDeps {
  const inSlot = createSearchSlots(config.QUERY_POOL_SIZE);
  return {
    pool: searchPool,
    timeoutMs: config.QUERY_TIMEOUT_MS,
    // Asked once more when it has its slot: room that was free before it waited may be taken.
    inSlot: (tenantId, search) =>
      inSlot(tenantId, async () => {
        unsentAnswers.admit(tenantId);
        return search();
      }),
  };
}
