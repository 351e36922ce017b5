import {
  addCounter,
  addHistogram,
  addPoolMetrics,
  addProcessMetrics,
  addTracedHistogram,
  createRegistry,
  type Metrics,
  metricsOf,
  type PoolUse,
  type TracesOf,
  commitBucketsS,
} from '@callout/runtime/metrics';

interface ApiMetricsDeps {
  /** Of Callout itself. */
  readonly version: string;
  /** The pools of this process, by what they are for. */
  readonly pools: Readonly<Record<string, PoolUse>>;
  /** Whether values name the trace that they belong to. */
  readonly hasExemplars?: boolean;
}

/** One request that was answered. */
export interface AnsweredRequest {
  readonly method: string;
  /** As it was registered, such as `/Companies`; undefined: of no route, and so anything. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  /** Its span; absent: it is not traced. */
  readonly traceParent?: string | undefined;
}

export interface ApiMetrics extends Metrics {
  readonly onAnswer: (request: AnsweredRequest) => void;
  /** @param events in one commit. @param tracesOf the traces of its requests. */
  readonly onCommit: (events: number, durationMs: number, isStored: boolean, tracesOf: TracesOf) => void;
}

/** From what takes a millisecond to what a client no longer waits for. */
const requestBucketsS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const eventBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const msPerS = 1_000;

/**
 * What an API process does. Labels are few whatever callers send: methods are those of HTTP, routes those that are
 * registered, and everything else is `other`.
 */
export function createApiMetrics({ version, pools, hasExemplars = false }: ApiMetricsDeps): ApiMetrics {
  const registry = createRegistry({ hasExemplars });
  addProcessMetrics(registry, { version });
  const observeRequest = addTracedHistogram(registry, {
    name: 'callout_http_request_duration_seconds',
    help: 'From the first byte of a request to the end of its answer; status 499 if the client disconnected before.',
    labels: ['method', 'route', 'status'],
    buckets: requestBucketsS,
  });
  const observeCommit = addTracedHistogram(registry, {
    name: 'callout_intake_commit_duration_seconds',
    help: 'How long commits of events took, which several requests may share.',
    labels: ['result'],
    known: ['stored', 'failed'],
    buckets: commitBucketsS,
  });
  const observeEvents = addHistogram(registry, {
    name: 'callout_intake_commit_events',
    help: 'Events in one commit, including those that were refused or known already.',
    buckets: eventBuckets,
  });
  const countEvents = addCounter(registry, {
    name: 'callout_intake_events_total',
    help: 'Events that were committed, including those that were refused or known already.',
  });
  addPoolMetrics(registry, pools);
  return {
    onAnswer({ method, route = 'other', status, durationMs, traceParent }) {
      observeRequest(
        durationMs / msPerS,
        () => [traceParent],
        methods.has(method) ? method : 'other',
        route,
        String(status),
      );
    },
    onCommit(events, durationMs, isStored, tracesOf) {
      observeCommit(durationMs / msPerS, tracesOf, isStored ? 'stored' : 'failed');
      if (!isStored) return;
      observeEvents(events);
      countEvents(events);
    },
    ...metricsOf(registry),
  };
}
