import type { Client } from '@callout/database/connection/database';
import { timeOfId } from '@callout/database/schema/ids';
import type { WaitingMessages } from './status-sentences.rules.ts';
import { readWaitingMessages } from './waiting-messages.ts';
import { statement } from '@callout/database/connection/statement/statement';

/** The callouts that are open now. */
export interface BacklogCounts extends WaitingMessages {
  readonly pendingEvents: {
    readonly count: number;
    /** Acceptance of the oldest; null when there is none. */
    readonly oldestDateTime: Date | null;
  };
  /** Each open callout counts once. */
  readonly openCallouts: {
    /** A worker could send it now, and none does. */
    readonly due: number;
    /** Since when the first of them could be sent. */
    readonly dueSinceDateTime: Date | null;
    readonly beingSent: number;
    /** Due, and behind calls of the same webhook that are under way: its receiver gets no more at a time. */
    readonly inLine: number;
    /** Due, and beyond what their webhooks allow (`maxCallsPerSecond`, `maxConcurrentCalls`). */
    readonly rate: number;
    /** Due, and waiting for a program to fetch them. */
    readonly toFetch: number;
    /** Due, but the webhook is paused until one call finds its receiver back. */
    readonly paused: number;
    /** Wait for the time of their next attempt. */
    readonly later: number;
    /** Wait for an earlier callout of their record. */
    readonly waiting: number;
    /** Held back by the threshold of their entity. */
    readonly held: number;
    /** Their webhook is inactive or deleted: they are cancelled in a moment. */
    readonly cancelling: number;
  };
  /** Webhooks whose receiver counts as down. */
  readonly pausedWebhooks: number;
  /** Webhooks with callouts that no program fetches. */
  readonly unfetchedWebhooks: number;
  readonly waitingMails: number;
  /**
   * Connections to this database: of APIs, of workers, and of all programs. `server` counts those to all databases of
   * the server, and `most` is its limit.
   */
  readonly connections: {
    readonly api: number;
    readonly worker: number;
    readonly all: number;
    readonly server: number;
    readonly most: number;
  };
}

/** The same, as an explanation for operators. */
export interface Backlog extends BacklogCounts {
  /** The webhooks with the most open callouts, most first. */
  readonly fullest: readonly FullWebhook[];
}

export interface FullWebhook {
  readonly tenantID: number;
  readonly tenantName: string;
  readonly entityType: string;
  readonly webhookID: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly openCallouts: number;
  readonly pausedUntilDateTime: Date | null;
  /** As text. */
  readonly lastFailure: string | null;
}

/** Reads every open row: about a second per million. */
export async function readBacklog(client: Client, { mostWebhooks }: { mostWebhooks: number }): Promise<Backlog> {
  return { ...(await countBacklog(client)), fullest: await readFullest(client, [mostWebhooks]) };
}

/** Reads every open row once. */
export async function countBacklog(client: Client): Promise<BacklogCounts> {
  const [counts] = await readCounts(client, []);
  const waitingMessages = await readWaitingMessages(client);
  if (counts === undefined) throw new Error('a SELECT without FROM gave no row');
  const {
    events,
    oldestEvent,
    api,
    worker,
    all,
    server,
    most,
    pausedWebhooks,
    unfetchedWebhooks,
    waitingMails,
    ...openCallouts
  } = counts;
  return {
    pendingEvents: { count: events, oldestDateTime: oldestEvent === null ? null : timeOfId(oldestEvent) },
    openCallouts,
    pausedWebhooks,
    unfetchedWebhooks,
    waitingMails,
    ...waitingMessages,
    connections: { api, worker, all, server, most },
  };
}

type Counts = BacklogCounts['openCallouts'] &
  BacklogCounts['connections'] &
  Pick<BacklogCounts, 'pausedWebhooks' | 'unfetchedWebhooks' | 'waitingMails'> & {
    events: number;
    oldestEvent: string | null;
  };

// Each row is read once, and counted by webhook before anything is asked of the webhooks. What a worker could send of a
// webhook goes by the same conditions as a claim: of an inactive one only its deactivation calls, of a paused one a
// single callout once its pause is over, and tests and deactivation calls in any case. How many calls at a time a
// receiver bears is known to each worker alone; calls under way show that a worker serves the webhook, and so does a call
// that the rate of the webhook has allowed a moment ago.
const readCounts = statement<Counts>(
  'backlog_counts',
  `WITH by_webhook AS MATERIALIZED (
     SELECT n.*, n.kind <> 'deactivation' AND NOT w.is_active AS is_inactive,
       CASE n.kind WHEN 'deactivation' THEN w.deactivation_mode ELSE w.delivery_mode END = 'pull' AS is_pulled,
       n.kind = 'event' AND (coalesce((SELECT r.next_call_at > now() - interval '2 seconds' FROM webhook_rates r
           WHERE r.webhook_key = n.webhook_key AND w.max_calls_per_second IS NOT NULL), false)
         OR coalesce(n.leased >= w.max_concurrent_calls, false)) AS is_rated
     FROM (
       SELECT webhook_key, kind, count(*) FILTER (WHERE is_leased) AS leased,
         count(*) FILTER (WHERE state = 'due' AND NOT is_leased AND is_now) AS due,
         min(due_at) FILTER (WHERE state = 'due' AND NOT is_leased AND is_now) AS due_since,
         count(*) FILTER (WHERE state = 'due' AND NOT is_leased AND NOT is_now) AS later,
         count(*) FILTER (WHERE state = 'waiting' AND NOT is_leased) AS waiting,
         count(*) FILTER (WHERE state = 'held' AND NOT is_leased) AS held
       FROM (SELECT webhook_key, kind, state, due_at, due_at <= now() AS is_now,
               coalesce(lease_until > now(), false) AS is_leased FROM open_callouts) AS o
       GROUP BY webhook_key, kind
     ) AS n JOIN webhooks w ON w.key = n.webhook_key
   )
   SELECT c.*, (SELECT count(*) FROM pending_events) AS events,
     (SELECT event_id FROM pending_events ORDER BY event_id LIMIT 1) AS "oldestEvent",
     (SELECT count(*) FROM webhook_health WHERE pauses > 0) AS "pausedWebhooks",
     (SELECT count(*) FROM webhook_health WHERE is_unfetched) AS "unfetchedWebhooks",
     (SELECT count(*) FROM notifications WHERE state = 'waiting') AS "waitingMails", a.*,
     current_setting('max_connections')::int AS most
   FROM (
     SELECT coalesce(sum(sendable), 0)::bigint AS due, min(since) FILTER (WHERE sendable > 0) AS "dueSinceDateTime",
       coalesce(sum(leased), 0)::bigint AS "beingSent",
       coalesce(sum(due - sendable) FILTER (WHERE NOT is_paused AND NOT is_pulled AND NOT is_rated), 0)::bigint AS "inLine",
       coalesce(sum(due) FILTER (WHERE is_rated AND NOT is_paused AND NOT is_pulled), 0)::bigint AS rate,
       coalesce(sum(due) FILTER (WHERE is_pulled), 0)::bigint AS "toFetch",
       coalesce(sum(due - sendable) FILTER (WHERE is_paused), 0)::bigint AS paused,
       coalesce(sum(later), 0)::bigint AS later, coalesce(sum(waiting), 0)::bigint AS waiting,
       coalesce(sum(held), 0)::bigint AS held, coalesce(sum(cancelling), 0)::bigint AS cancelling
     FROM (
       SELECT leased, due, later, waiting, held, is_paused, is_pulled, is_rated,
         CASE WHEN is_paused THEN greatest(due_since, paused_until) ELSE due_since END AS since, 0 AS cancelling,
         CASE WHEN is_pulled THEN 0
           WHEN is_paused THEN least(due, (paused_until <= now())::int)
           WHEN is_rated THEN 0
           WHEN kind = 'event' AND leased > 0 THEN 0 ELSE due END AS sendable
       FROM (
         SELECT o.*, o.kind = 'event' AND NOT o.is_pulled AND coalesce(h.pauses, 0) > 0 AS is_paused, h.paused_until
         FROM by_webhook AS o LEFT JOIN webhook_health h ON h.webhook_key = o.webhook_key
       ) AS going
       WHERE NOT is_inactive
       UNION ALL
       SELECT leased, 0, 0, 0, 0, false, false, false, NULL, due + later + waiting + held, 0 FROM by_webhook WHERE is_inactive
     ) AS judged
   ) AS c, (
     SELECT count(*) FILTER (WHERE application_name = 'callout-api' AND datname = current_database()) AS api,
       count(*) FILTER (WHERE application_name = 'callout-worker' AND datname = current_database()) AS worker,
       count(*) FILTER (WHERE datname = current_database()) AS "all", count(*) AS server
     FROM pg_stat_activity WHERE backend_type = 'client backend'
   ) AS a`,
);

const readFullest = statement<FullWebhook>(
  'backlog_fullest',
  `SELECT w.tenant_id AS "tenantID", t.name AS "tenantName", w.entity_type AS "entityType", w.id AS "webhookID", w.name,
     w.is_active AS "isActive", o.open AS "openCallouts", CASE WHEN h.pauses > 0 THEN h.paused_until END AS "pausedUntilDateTime",
     h.last_failure AS "lastFailure"
   FROM (SELECT webhook_key, count(*) AS open FROM open_callouts GROUP BY webhook_key ORDER BY 2 DESC, 1 LIMIT $1) AS o
   JOIN webhooks w ON w.key = o.webhook_key JOIN tenants t ON t.id = w.tenant_id
     LEFT JOIN webhook_health h ON h.webhook_key = o.webhook_key
   ORDER BY o.open DESC, o.webhook_key`,
);
