import { addCounter, addHistogram, addProcessMetrics, addReadGauge, createRegistry } from '@callout/runtime/metrics';

/** What is used of a pool of connections. */
interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

interface ApiMetricsDeps {
  /** Of Callout itself. */
  readonly version: string;
  /** The pools of this process, by what they are for. */
  readonly pools: Readonly<Record<string, PoolUse>>;
}

/** One request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** As it was registered, such as `/Companies`; undefined: of no route, and so anything. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
}

export interface ApiMetrics {
  readonly onAnswer: (request: AnsweredRequest) => void;
  /** @param events in one commit. */
  readonly onCommit: (events: number, durationMs: number, isStored: boolean) => void;
  /** The text that Prometheus reads. */
  readonly text: () => Promise<string>;
}

/** From what takes a millisecond to what a client no longer waits for. */
const requestBucketsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const commitBucketsS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const eventBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const msPerS = 1_000;

/**
 * What an API process does. Labels are few whatever callers send: methods are those of HTTP, routes those that are
 * registered, and everything else is `other`.
 */
export function createApiMetrics({ version, pools }: ApiMetricsDeps): ApiMetrics {
  const registry = createRegistry();
  addProcessMetrics(registry, { version });
  const observeRequest = addHistogram(registry, {
    name: 'callout_http_request_duration_seconds',
    help: 'From the first byte of a request to the end of its answer; 499: the client went away before.',
    labels: ['method', 'route', 'status'],
    buckets: requestBucketsS,
  });
  const observeCommit = addHistogram(registry, {
    name: 'callout_intake_commit_duration_seconds',
    help: 'How long commits of events took, which several requests may share.',
    labels: ['result'],
    buckets: commitBucketsS,
  });
  const observeEvents = addHistogram(registry, {
    name: 'callout_intake_commit_events',
    help: 'Events in one commit, those that were refused or known already included.',
    buckets: eventBuckets,
  });
  const countEvents = addCounter(registry, {
    name: 'callout_intake_events_total',
    help: 'Events that were committed, those that were refused or known already included.',
  });
  addReadGauge(registry, {
    name: 'callout_database_pool_connections',
    help: 'Connections of this process to PostgreSQL.',
    labels: ['pool', 'state'],
    *read() {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        yield [idleCount, pool, 'idle'];
        yield [totalCount - idleCount, pool, 'busy'];
      }
    },
  });
  addReadGauge(registry, {
    name: 'callout_database_pool_waiting',
    help: 'Statements and transactions that wait for a connection.',
    labels: ['pool'],
    read: () => Object.entries(pools).map(([pool, { waitingCount }]) => [waitingCount, pool] as const),
  });
  return {
    onAnswer({ method, route = 'other', status, durationMs }) {
      observeRequest(durationMs / msPerS, methods.has(method) ? method : 'other', route, String(status));
    },
    onCommit(events, durationMs, isStored) {
      observeCommit(durationMs / msPerS, isStored ? 'stored' : 'failed');
      if (!isStored) return;
      observeEvents(events);
      countEvents(events);
    },
    text: () => registry.metrics(),
  };
}
