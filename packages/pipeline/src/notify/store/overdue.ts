import type { Client } from '@callout/database/connection/database';
import { statement } from '@callout/database/connection/statement/statement';
import { timeOfId } from '@callout/database/schema/ids';

const findEvent = statement<{ id: string }>(
  'overdue_event',
  'SELECT event_id AS id FROM pending_events ORDER BY event_id LIMIT 1',
);

/** When the oldest pending event was accepted; null when none is pending. */
export async function oldestPendingEvent(client: Client): Promise<Date | null> {
  const [oldest] = await findEvent(client, []);
  return oldest === undefined ? null : timeOfId(oldest.id);
}

/** The largest number that is counted. */
export const mostWaiting = 100_000;

const countEvents = statement<{ count: number }>(
  'overdue_count_events',
  `SELECT count(*) FROM (SELECT FROM pending_events LIMIT ${mostWaiting}) AS e`,
);

const countDue = statement<{ count: number }>(
  'overdue_count_due',
  `SELECT count(*) FROM (
     SELECT FROM open_callouts WHERE state = 'due' AND due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
     LIMIT ${mostWaiting}
   ) AS o`,
);

/** The events that are not matched yet, up to `mostWaiting`. */
export async function countPendingEvents(client: Client): Promise<number> {
  return (await countEvents(client, []))[0]?.count ?? 0;
}

/** The callouts that are due and are not being sent, up to `mostWaiting`. */
export async function countDueCallouts(client: Client): Promise<number> {
  return (await countDue(client, []))[0]?.count ?? 0;
}

/** A webhook with a callout that could be sent now. */
export interface OverdueWebhook {
  dueAt: Date;
  tenantName: string;
  entityType: string;
  webhookId: number;
}

/** Claims start with the longest due, so the leases of a webhook are among the first of its callouts. */
const lookedAt = 100;

// Skips from webhook to webhook, as the sweep does, and covers the same callouts: not pulled ones, nor those of a
// tenant that is not served here. A paused webhook waits for its receiver, one with a callout being sent has a worker, and one
// that limits its calls has begun one when its rate last allowed it: none is a reason to alert an operator.
// OFFSET 0: otherwise the planner may join all webhooks first, and read every callout of each.
const findCallout = statement<OverdueWebhook>(
  'overdue_callout',
  `WITH RECURSIVE step (webhook_key) AS (
     (SELECT webhook_key FROM open_callouts WHERE state = 'due' ORDER BY webhook_key LIMIT 1)
     UNION ALL
     SELECT (SELECT o.webhook_key FROM open_callouts o WHERE o.state = 'due' AND o.webhook_key > step.webhook_key
             ORDER BY o.webhook_key LIMIT 1)
     FROM step WHERE step.webhook_key IS NOT NULL
   )
   SELECT due.due_at AS "dueAt", t.name AS "tenantName", w.entity_type AS "entityType", w.id AS "webhookId"
   FROM step CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE key = step.webhook_key OFFSET 0) AS w
   JOIN tenants t ON t.id = w.tenant_id LEFT JOIN webhook_health h ON h.webhook_key = step.webhook_key,
   LATERAL (
     SELECT due_at FROM open_callouts o
     WHERE o.webhook_key = step.webhook_key AND o.state = 'due' AND o.due_at <= now() - $1 * interval '1 millisecond'
       AND CASE o.kind WHEN 'deactivation' THEN w.deactivation_mode = 'push'
         ELSE w.is_active AND w.delivery_mode = 'push' END
     ORDER BY due_at LIMIT 1
   ) AS due
   WHERE step.webhook_key IS NOT NULL AND t.state = 'active' AND coalesce(h.pauses, 0) = 0 AND NOT (w.max_calls_per_second IS NOT NULL AND coalesce((
     SELECT r.next_call_at > now() - $1 * interval '1 millisecond' FROM webhook_rates r
     WHERE r.webhook_key = step.webhook_key), false)) AND NOT EXISTS (
     SELECT FROM (
       SELECT lease_until FROM open_callouts o WHERE o.webhook_key = step.webhook_key AND o.state = 'due'
       ORDER BY due_at LIMIT ${lookedAt}
     ) AS first WHERE first.lease_until > now())
   ORDER BY due.due_at LIMIT 1`,
);

/** The webhook whose callout has been waiting longest for a worker, at least `ms`; undefined when there is none. */
export async function findOverdueCallout(client: Client, ms: number): Promise<OverdueWebhook | undefined> {
  return (await findCallout(client, [ms]))[0];
}

const findRefused = statement<{ since: Date; lastError: string | null; count: number }>(
  'overdue_mail',
  `SELECT min(mail_at) AS since, count(*), (array_agg(last_error ORDER BY due_at DESC))[1] AS "lastError"
   FROM notifications n WHERE state = 'waiting' AND mail_id = id AND attempts > 0
     AND NOT EXISTS (SELECT FROM notifications s WHERE s.state = 'sent' AND s.sent_at >= n.mail_at)
   HAVING min(mail_at) <= now() - $1 * interval '1 millisecond'`,
);

/** Mail that the mail server has not accepted for `ms` while it accepted no other; undefined when there is none. */
export async function findRefusedMail(
  client: Client,
  ms: number,
): Promise<{ since: Date; lastError: string | null; count: number } | undefined> {
  return (await findRefused(client, [ms]))[0];
}
