import type { Catalogue } from '@callout/domain/catalogue/catalogue';
import {
  addCounter,
  addHistogram,
  addTracedHistogram,
  type TracesOf,
  commitBucketsS,
} from '@callout/runtime/metrics/observed';
import { addPoolMetrics, type PoolUse } from '@callout/runtime/metrics/pool-metrics';
import { addProcessMetrics } from '@callout/runtime/metrics/process-metrics';
import { createRegistry, type Metrics, metricsOf } from '@callout/runtime/metrics/registry';
import type { ServedRequest } from './http/server/request-log.ts';

interface ApiMetricsDeps {
  readonly catalogue: Pick<Catalogue, 'entities'>;
  /** Of Callout itself. */
  readonly version: string;
  /** How far the clock of the machine is ahead; null: unknown. */
  readonly clockAheadMs: () => number | null;
  /** The pools of the process, by purpose. */
  readonly pools: Readonly<Record<string, PoolUse>>;
  /** Whether values name a trace. */
  readonly hasExemplars?: boolean;
}

export interface ApiMetrics extends Metrics {
  readonly onResponse: (request: ServedRequest) => void;
  /** @param events in one commit. @param tracesOf the traces of the requests. */
  readonly onCommit: (events: number, durationMs: number, isStored: boolean, tracesOf: TracesOf) => void;
}

/** From a few milliseconds to the patience of clients; few, since each route has all of them. */
const requestBucketsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const eventBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500];
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const msPerS = 1_000;

/**
 * The activity of an API process. Labels are few for any requests: methods are those of HTTP, routes the registered
 * routes, without an entity, and everything else is `other`.
 */
export function createApiMetrics({
  version,
  clockAheadMs,
  catalogue,
  pools,
  hasExemplars = false,
}: ApiMetricsDeps): ApiMetrics {
  const registry = createRegistry({ hasExemplars });
  addProcessMetrics(registry, { version, clockAheadMs });
  const labelOf = routeLabels(catalogue);
  const countRequest = addCounter(registry, {
    name: 'callout_http_requests_total',
    help: 'Requests that were answered, by method, route and status: 499 if the client disconnected before the end of the answer.',
    labels: ['method', 'route', 'status'],
  });
  const observeRequest = addTracedHistogram(registry, {
    name: 'callout_http_request_duration_seconds',
    help: 'From the first byte of a request to the end of its answer, without requests that wait for something to happen.',
    labels: ['method', 'route'],
    buckets: requestBucketsS,
  });
  const observeCommit = addTracedHistogram(registry, {
    name: 'callout_intake_commit_duration_seconds',
    help: 'How long commits of events took, which several requests may share, by result: stored or failed.',
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
    onResponse({ method: requestMethod, route: path = 'other', status, durationMs, mayWait, traceParent }) {
      const method = methods.has(requestMethod) ? requestMethod : 'other';
      const route = labelOf(path);
      countRequest(1, method, route, String(status));
      if (!mayWait) observeRequest(durationMs / msPerS, () => [traceParent], method, route);
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

/**
 * Names routes in metrics: `/CompanyWebhooks/:id/Callouts` is `/:webhooks/:id/Callouts`, and `/TicketWebhookFields` is
 * `/:webhookFields`. A route does equal work for all entities, and a histogram of each would be five times as many
 * series.
 */
function routeLabels({ entities }: Pick<Catalogue, 'entities'>): (route: string) => string {
  const withWebhooks = entities.filter(({ supportsWebhookCallouts }) => supportsWebhookCallouts);
  const ofRoutes = new Map<string, string>();
  const label = (segment: string): string => {
    for (const { collection, webhookSingular } of withWebhooks) {
      if (segment === collection) return ':records';
      if (segment.startsWith(webhookSingular)) return `:webhook${segment.slice(webhookSingular.length)}`;
    }
    return segment;
  };
  return (route) => {
    let seriesOfRoute = ofRoutes.get(route);
    if (seriesOfRoute === undefined) {
      seriesOfRoute = route.split('/').map(label).join('/');
      ofRoutes.set(route, seriesOfRoute);
    }
    return seriesOfRoute;
  };
}
