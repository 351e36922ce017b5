import type { Client } from '../../connection/database.ts';
import { timeOfId } from '../../log/id-time.ts';
import { statement } from '../../connection/statement.ts';

/** What is owed at this moment. */
export interface BacklogCounts {
  readonly pendingEvents: {
    readonly count: number;
    /** Acceptance of the oldest; null when there is none. */
    readonly oldestDateTime: Date | null;
  };
  /** Each open callout counts once. */
  readonly openCallouts: {
    /** May be sent now, and waits for a worker. */
    readonly due: number;
    /** Since when the first of those could be sent. */
    readonly dueSinceDateTime: Date | null;
    readonly beingSent: number;
    /** Wait for their time: for the next attempt, or until their receiver is tried again. */
    readonly later: number;
    /** Wait for an earlier callout of their record. */
    readonly waiting: number;
    /** Held back by the threshold of their entity. */
    readonly held: number;
  };
  /** Webhooks whose receiver is taken to be down. */
  readonly pausedWebhooks: number;
  readonly waitingMails: number;
  /** Connections to this PostgreSQL server: of APIs, of workers, of everybody, and how many there may be. */
  readonly connections: { readonly api: number; readonly worker: number; readonly all: number; readonly most: number };
}

/** The same, for the person who asks why nothing arrives. */
export interface Backlog extends BacklogCounts {
  /** The webhooks with the most open callouts, most first. */
  readonly fullest: readonly FullWebhook[];
}

export interface FullWebhook {
  readonly tenantID: number;
  readonly entityType: string;
  readonly webhookID: number;
  readonly name: string;
  readonly isActive: boolean;
  readonly openCallouts: number;
  readonly pausedUntilDateTime: Date | null;
  /** In words. */
  readonly lastFailure: string | null;
}

/** Reads every open row: a second or so for each million. */
export async function readBacklog(client: Client, { mostWebhooks }: { mostWebhooks: number }): Promise<Backlog> {
  return { ...(await countBacklog(client)), fullest: await readFullest(client, [mostWebhooks]) };
}

/** Reads every open row once. */
export async function countBacklog(client: Client): Promise<BacklogCounts> {
  const [counts] = await readCounts(client, []);
  if (counts === undefined) throw new Error('a SELECT without FROM gave no row');
  const { events, oldestEvent, api, worker, all, most, pausedWebhooks, waitingMails, ...openCallouts } = counts;
  return {
    pendingEvents: { count: events, oldestDateTime: oldestEvent === null ? null : timeOfId(oldestEvent) },
    openCallouts,
    pausedWebhooks,
    waitingMails,
    connections: { api, worker, all, most },
  };
}

type Counts = BacklogCounts['openCallouts'] &
  BacklogCounts['connections'] &
  Pick<BacklogCounts, 'pausedWebhooks' | 'waitingMails'> & { events: number; oldestEvent: string | null };

const readCounts = statement<Counts>(
  'backlog_counts',
  `SELECT c.*, (SELECT count(*) FROM pending_events) AS events,
     (SELECT event_id FROM pending_events ORDER BY event_id LIMIT 1) AS "oldestEvent",
     (SELECT count(*) FROM webhook_health WHERE paused_until IS NOT NULL) AS "pausedWebhooks",
     (SELECT count(*) FROM notifications WHERE state = 'waiting') AS "waitingMails", a.*,
     current_setting('max_connections')::int AS most
   FROM (
     SELECT count(*) FILTER (WHERE is_due AND NOT is_leased) AS due,
       min(due_at) FILTER (WHERE is_due AND NOT is_leased) AS "dueSinceDateTime",
       count(*) FILTER (WHERE is_leased) AS "beingSent",
       count(*) FILTER (WHERE state = 'due' AND NOT is_due AND NOT is_leased) AS later,
       count(*) FILTER (WHERE state = 'waiting' AND NOT is_leased) AS waiting,
       count(*) FILTER (WHERE state = 'held' AND NOT is_leased) AS held
     FROM (SELECT state, due_at, state = 'due' AND due_at <= now() AS is_due,
             coalesce(lease_until > now(), false) AS is_leased FROM open_callouts) AS o
   ) AS c, (
     SELECT count(*) FILTER (WHERE application_name = 'callout-api') AS api,
       count(*) FILTER (WHERE application_name = 'callout-worker') AS worker, count(*) AS "all"
     FROM pg_stat_activity WHERE backend_type = 'client backend'
   ) AS a`,
);

const readFullest = statement<FullWebhook>(
  'backlog_fullest',
  `SELECT w.tenant_id AS "tenantID", w.entity_type AS "entityType", w.id AS "webhookID", w.name,
     w.is_active AS "isActive", o.open AS "openCallouts", h.paused_until AS "pausedUntilDateTime",
     h.last_failure AS "lastFailure"
   FROM (SELECT webhook_key, count(*) AS open FROM open_callouts GROUP BY webhook_key ORDER BY 2 DESC, 1 LIMIT $1) AS o
   JOIN webhooks w ON w.key = o.webhook_key LEFT JOIN webhook_health h ON h.webhook_key = o.webhook_key
   ORDER BY o.open DESC, o.webhook_key`,
);
