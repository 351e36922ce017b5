import type { BacklogCounts } from '@callout/db';

/** Counting reads every open row, and a scrape may come at any time from anywhere. */
const keptMs = 5_000;

/** Counts when it is asked, not before the count before is five seconds old; whoever asks in between gets the same. */
export function createMetrics(count: () => Promise<BacklogCounts>, nowMs: () => number): () => Promise<string> {
  let text: Promise<string> | undefined;
  let untilMs = 0;
  return () => {
    if (text === undefined || nowMs() >= untilMs) {
      untilMs = Infinity;
      text = count()
        .then((counts) => metricsText(counts, new Date(nowMs())))
        .finally(() => (untilMs = nowMs() + keptMs));
    }
    return text;
  };
}

/** What an installation owes, in the form that Prometheus reads. Every worker says the same: scrape one, or take the highest. */
export function metricsText(backlog: BacklogCounts, now: Date): string {
  const { pendingEvents, openCallouts, pausedWebhooks, waitingMails, connections } = backlog;
  const { due, dueSinceDateTime, beingSent, later, waiting, held } = openCallouts;
  const age = (since: Date | null) => (since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000));
  const { api, worker, all, most } = connections;
  return [
    ...gauge('callout_pending_events', 'Events that are accepted and not matched yet.', pendingEvents.count),
    ...gauge('callout_oldest_pending_event_seconds', 'Age of the oldest of them.', age(pendingEvents.oldestDateTime)),
    ...gauge('callout_open_callouts', 'Callouts that are neither delivered nor given up.', {
      'state="due"': due,
      'state="being_sent"': beingSent,
      'state="later"': later,
      'state="waiting"': waiting,
      'state="held"': held,
    }),
    ...gauge(
      'callout_oldest_due_callout_seconds',
      'How long the first due callout waits for a worker.',
      age(dueSinceDateTime),
    ),
    ...gauge('callout_paused_webhooks', 'Webhooks whose receiver is taken to be down.', pausedWebhooks),
    ...gauge('callout_waiting_mails', 'Mails that are not sent yet.', waitingMails),
    ...gauge('callout_database_connections', 'Connections to PostgreSQL.', {
      'of="api"': api,
      'of="worker"': worker,
      'of="all"': all,
    }),
    ...gauge('callout_database_connections_most', 'How many there may be.', most),
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
