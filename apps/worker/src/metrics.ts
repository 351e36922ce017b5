import type { BacklogCounts, KeyUse } from '@callout/db/tenants/operator';
import { keepFor } from '@callout/runtime/concurrency';

/** Counting reads every open row, and a scrape may come at any time from anywhere. */
const keptMs = 5_000;

interface MetricsDeps {
  readonly count: () => Promise<BacklogCounts>;
  /** The keys in use that the ring of this process lacks. */
  readonly missingKeys: () => Promise<readonly KeyUse[]>;
  readonly nowMs: () => number;
}

/** Counts when it is asked, not before the count before is five seconds old; whoever asks in between gets the same. */
export function createMetrics({ count, missingKeys, nowMs }: MetricsDeps): () => Promise<string> {
  const ask = async (): Promise<string> => {
    const [counts, missing] = await Promise.all([count(), missingKeys()]);
    return metricsText(counts, missing, new Date(nowMs()));
  };
  return keepFor(keptMs, ask, nowMs);
}

/** What an installation owes, in the form that Prometheus reads. Every worker says the same: scrape one, or take the highest. */
export function metricsText(backlog: BacklogCounts, missingKeys: readonly KeyUse[], now: Date): string {
  const { pendingEvents, openCallouts, pausedWebhooks, waitingMails, connections } = backlog;
  const { due, dueSinceDateTime, beingSent, inLine, paused, later, waiting, held, cancelling } = openCallouts;
  const age = (since: Date | null) => (since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000));
  const { api, worker, all, server, most } = connections;
  return [
    ...gauge('callout_pending_events', 'Events that are accepted and not matched yet.', pendingEvents.count),
    ...gauge('callout_oldest_pending_event_seconds', 'Age of the oldest of them.', age(pendingEvents.oldestDateTime)),
    ...gauge('callout_open_callouts', 'Callouts that are neither delivered nor given up.', {
      'state="due"': due,
      'state="being_sent"': beingSent,
      'state="in_line"': inLine,
      'state="paused"': paused,
      'state="later"': later,
      'state="waiting"': waiting,
      'state="held"': held,
      'state="cancelling"': cancelling,
    }),
    ...gauge(
      'callout_oldest_due_callout_seconds',
      'How long a worker could have sent the first due callout: paused, held and queued ones do not count.',
      age(dueSinceDateTime),
    ),
    ...gauge('callout_paused_webhooks', 'Webhooks whose receiver is taken to be down.', pausedWebhooks),
    ...gauge('callout_waiting_mails', 'Mails that are not sent yet.', waitingMails),
    ...gauge('callout_database_connections', 'Connections to this database.', {
      'of="api"': api,
      'of="worker"': worker,
      'of="all"': all,
    }),
    ...gauge('callout_database_server_connections', 'Connections to all databases of its PostgreSQL server.', server),
    ...gauge('callout_database_server_connections_max', 'How many of those there may be.', most),
    ...gauge(
      'callout_unreadable_secrets',
      'Webhook secrets whose key SECRET_KEYS of this process lacks: callouts of those webhooks wait.',
      missingKeys.reduce((sum, { secrets }) => sum + secrets, 0),
    ),
    '',
  ].join('\n');
}

function gauge(name: string, help: string, value: number | Readonly<Record<string, number>>): string[] {
  const values =
    typeof value === 'number'
      ? [`${name} ${value}`]
      : Object.entries(value).map(([label, n]) => `${name}{${label}} ${n}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...values];
}
