import type { BacklogCounts } from '@callout/history/status/backlog';
import type { KeyUse } from '@callout/tenancy/operator/encrypted-secrets';
import { addCountedGauges, type CountedGauge } from '@callout/runtime/metrics/counted-gauges';
import type { Registry } from '@callout/runtime/metrics/registry';

export interface BacklogMetricsDeps {
  readonly count: () => Promise<BacklogCounts>;
  /** The keys in use that are missing in the ring of the process. */
  readonly missingKeys: () => Promise<readonly KeyUse[]>;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Receives the error when counting fails. */
  readonly onError: (error: unknown) => void;
}

interface Counted {
  readonly backlog: BacklogCounts;
  readonly missingKeys: readonly KeyUse[];
}

const known = {
  name: 'callout_backlog_known',
  help: 'Whether the backlog could be counted: 1, or 0 while PostgreSQL is down.',
};

/** Adds the metrics of an installation's backlog, which are equal in all workers. */
export function addBacklogMetrics(
  registry: Registry,
  { count, missingKeys, nowMs, onError }: BacklogMetricsDeps,
): void {
  const countAll = async (): Promise<Counted> => {
    const [backlog, missing] = await Promise.all([count(), missingKeys()]);
    return { backlog, missingKeys: missing };
  };
  addCountedGauges(registry, { count: countAll, nowMs, onError, known }, gauges);
}

const ageS = (since: Date | null, nowMs: number) =>
  since === null ? 0 : Math.max(0, (nowMs - since.getTime()) / 1000);

const gauges: readonly CountedGauge<Counted>[] = [
  {
    name: 'callout_pending_events',
    help: 'Events that are accepted and not matched yet.',
    value: ({ backlog }) => backlog.pendingEvents.count,
  },
  {
    name: 'callout_oldest_pending_event_seconds',
    help: 'Age of the oldest event that is not matched yet.',
    value: ({ backlog }, nowMs) => ageS(backlog.pendingEvents.oldestDateTime, nowMs),
  },
  {
    name: 'callout_open_callouts',
    help: 'Open callouts, each once, by what they wait for.',
    label: 'state',
    value: ({ backlog: { openCallouts } }) => ({
      due: openCallouts.due,
      being_sent: openCallouts.beingSent,
      in_line: openCallouts.inLine,
      rate: openCallouts.rate,
      to_fetch: openCallouts.toFetch,
      paused: openCallouts.paused,
      later: openCallouts.later,
      waiting: openCallouts.waiting,
      held: openCallouts.held,
      cancelling: openCallouts.cancelling,
    }),
  },
  {
    name: 'callout_oldest_due_callout_seconds',
    help: 'How long the first callout that a worker could send has been due; paused, held and queued ones do not count.',
    value: ({ backlog }, nowMs) => ageS(backlog.openCallouts.dueSinceDateTime, nowMs),
  },
  {
    name: 'callout_paused_webhooks',
    help: 'Webhooks that are paused, since their receiver is down.',
    value: ({ backlog }) => backlog.pausedWebhooks,
  },
  {
    name: 'callout_unfetched_webhooks',
    help: 'Webhooks whose callouts no program has fetched for ALERT_AFTER, although some are due.',
    value: ({ backlog }) => backlog.unfetchedWebhooks,
  },
  {
    name: 'callout_waiting_mails',
    help: 'Mails that are not sent yet.',
    value: ({ backlog }) => backlog.waitingMails,
  },
  {
    name: 'callout_waiting_health_events',
    help: 'Events of WebhookHealth that are still to be made.',
    value: ({ backlog }) => backlog.waitingHealthEvents.count,
  },
  {
    name: 'callout_oldest_waiting_health_event_seconds',
    help: 'Age of the oldest event of WebhookHealth that is still to be made.',
    value: ({ backlog }, nowMs) => ageS(backlog.waitingHealthEvents.oldestDateTime, nowMs),
  },
  {
    name: 'callout_waiting_operator_messages',
    help: 'Messages about alerts of the installation that OPERATOR_ALERT_URL has not taken.',
    value: ({ backlog }) => backlog.waitingOperatorMessages.count,
  },
  {
    name: 'callout_oldest_waiting_operator_message_seconds',
    help: 'Age of the oldest message that OPERATOR_ALERT_URL has not taken.',
    value: ({ backlog }, nowMs) => ageS(backlog.waitingOperatorMessages.oldestDateTime, nowMs),
  },
  {
    name: 'callout_database_connections',
    help: 'Connections to this database by program: api, worker, or all.',
    label: 'of',
    value: ({ backlog: { connections } }) => ({
      api: connections.api,
      worker: connections.worker,
      all: connections.all,
    }),
  },
  {
    name: 'callout_database_server_connections',
    help: 'Connections to all databases of the PostgreSQL server.',
    value: ({ backlog }) => backlog.connections.server,
  },
  {
    name: 'callout_database_server_connections_max',
    help: 'The most connections that the PostgreSQL server allows.',
    value: ({ backlog }) => backlog.connections.most,
  },
  {
    name: 'callout_unreadable_secrets',
    help: 'Webhook secrets whose key SECRET_KEYS of this process lacks: callouts of those webhooks wait.',
    value: ({ missingKeys }) => missingKeys.reduce((sum, { secrets }) => sum + secrets, 0),
  },
];
