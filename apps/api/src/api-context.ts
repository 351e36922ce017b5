import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import type { Cursors } from '@callout/domain/query/cursor';
import type { ListCursors } from '@callout/domain/query/list-cursor';
import type { WebhookInputContext } from '@callout/webhooks/input/webhook-input';
import type { KeyRing } from '@callout/domain/secrets/keyring';
import type { ClockWatch } from '@callout/database/connection/clock-watch';
import type { Database } from '@callout/database/connection/database';
import type { SearchDeps } from '@callout/history/search/search-transaction';
import type { RecordSearch } from '@callout/history/search/records/record-search';
import type { TableSearch } from '@callout/history/search/tables/table-search';
import type { RepeatableResponse, RequestedKey } from '@callout/pipeline/ingest/idempotency-keys.rules';
import type { SettledPulls } from '@callout/pipeline/pull/settle-pulls';
import type { UdfDefinition } from '@callout/tenancy/udf-definitions';
import type { ApiConfig } from '@callout/runtime/config/api';
import type { WithPermit } from '@callout/runtime/concurrency/permits';
import type { Logger } from '@callout/runtime/log/logger';
import type { Tracing } from '@callout/runtime/tracing';
import type { UnsentResponses } from './http/responses/unsent-responses.ts';
import type { MakeCounter } from './http/limits/rate.ts';
import type { FindBaseUrl } from './http/server/base-url.ts';
import type { ApiMetrics } from './api-metrics.ts';
import type { Ingest } from './waiting/ingest.ts';
import type { PullWaiters, PullWaitersDeps } from './waiting/pull-waiters.ts';

/** The parts of the API that the start makes. */
export interface ApiParts {
  /** Of Callout itself, like `1.4.0`. */
  readonly build: string;
  readonly config: ApiConfig;
  readonly catalogue: Catalogue;
  readonly database: Database;
  /** Connections for searches alone. */
  readonly searchPool: SearchDeps['pool'];
  readonly clock: Pick<ClockWatch, 'problems' | 'notices'>;
  readonly log: Logger;
  /** Enqueues committed events for the worker, with their tenants. Must not wait. */
  readonly enqueueMatch: (eventIds: string[], tenantIds: number[]) => void;
  /** Names webhooks with newly due callouts in a job for the worker. Must not wait. */
  readonly enqueueDeliver: (webhookKeys: number[]) => void;
  /** Why enqueueing fails now, without confidential data; null when jobs reach the queue. */
  readonly queueProblem: () => string | null;
  /** Counts requests for the limits. */
  readonly makeCounter: MakeCounter;
  readonly isStopping: () => boolean;
  /** Whether an authentication of the last seconds may be confirmed by the commit: see `hasFastWays` of the runtime. */
  readonly hasFastWays: boolean;
  /** Lower limits, for tests; absent: the limits of `api-limits.ts`. */
  readonly limits?: { readonly searchTimeoutMs?: number; readonly consoleReadsPerHour?: number };
  /** Counts the activity of the process; absent: not counted. */
  readonly metrics?: ApiMetrics;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Subscribes to signals of webhooks with callouts to fetch; absent: waiting requests poll. */
  readonly listenForPulls?: PullWaitersDeps['listen'];
  /** Called with the results of fetched callouts. Must not wait. */
  readonly onPullsSettled?: (settled: SettledPulls) => void;
  /** Another output directory of the console. */
  readonly consoleDirectory?: string;
}

/** What every endpoint may use. Each part exists once in a process. */
export interface ApiContext extends ApiParts {
  readonly keyRing: KeyRing;
  /** Searches, each with a slot and the capacity for a response. */
  readonly search: SearchDeps;
  readonly tableSearch: TableSearch;
  readonly recordSearch: RecordSearch;
  readonly unsentResponses: UnsentResponses;
  readonly cursors: Cursors;
  readonly listCursors: ListCursors;
  readonly baseUrlOf: FindBaseUrl;
  /** All definitions of a tenant, in order of id; concurrent requests share a query. */
  readonly udfDefinitionsOf: (tenantId: number) => Promise<readonly UdfDefinition[] | undefined>;
  /** The kept response of an idempotency key; concurrent requests share a query. */
  readonly findResponse: (key: RequestedKey) => Promise<RepeatableResponse | undefined>;
  /** Describes the keys of secrets missing in the key ring. */
  readonly missingKeys: () => Promise<string[]>;
  readonly ingest: Ingest;
  /** Replays the events of a preview, when the tenant has a permit for a preview. */
  readonly inPreview: WithPermit<number>;
  readonly pulls: PullWaiters;
  /** Judges a target URL of a write. */
  readonly checkUrl: WebhookInputContext['checkUrl'];
}
