import type { Client } from '../connection/database.ts';
import { statement } from '../connection/statement.ts';
import { isCallToBeMade } from './claim.ts';

const wake = statement<{ event_id: string }>(
  'sweep_wake_events',
  `WITH late AS (
     SELECT event_id FROM pending_events WHERE wake_at <= now() ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED
   )
   UPDATE pending_events p
   SET wakes = p.wakes + 1, wake_at = now() + least(5 * 2 ^ least(p.wakes + 1, 10), 300) * interval '1 second'
   FROM late WHERE p.event_id = late.event_id
   RETURNING p.event_id`,
);

/**
 * Pending events whose wake-up call must have been lost, oldest first; each call puts the next one off, from 10 s to
 * 5 minutes. Several workers may ask at once and get different ones.
 */
export async function wakeLateEvents(client: Client, limit: number): Promise<string[]> {
  return (await wake(client, [limit])).map((row) => row.event_id);
}

const readPending = statement<{ event_id: string }>(
  'sweep_read_pending',
  'SELECT event_id FROM pending_events WHERE event_id > $1 ORDER BY event_id LIMIT $2',
);

/** The lowest of all ids: what `pendingEvents` begins after. */
export const beforeAllEvents = '00000000-0000-0000-0000-000000000000';

/** Pending events in order of their acceptance, whether or not a wake-up call is on its way to them. */
export async function pendingEvents(client: Client, afterId: string, limit: number): Promise<string[]> {
  return (await readPending(client, [afterId, limit])).map((row) => row.event_id);
}

// Jumps from webhook to webhook along the index, so that a million callouts of one webhook cost one step. A recursion goes
// only as far as its rows are asked for, and in its order: sorted here, or joined to in any way that does not ask for one
// row after another, it would go to the end for the first hundred. What is due is asked for in its order, for the index
// that leads past what is due later.
const findDue = statement<{ webhookKey: number }>(
  'sweep_find_due',
  `WITH RECURSIVE step (webhook_key) AS (
     (SELECT webhook_key FROM open_callouts WHERE state = 'due' AND webhook_key > $1 ORDER BY webhook_key LIMIT 1)
     UNION ALL
     SELECT (SELECT o.webhook_key FROM open_callouts o WHERE o.state = 'due' AND o.webhook_key > step.webhook_key
             ORDER BY o.webhook_key LIMIT 1)
     FROM step WHERE step.webhook_key IS NOT NULL
   )
   SELECT step.webhook_key AS "webhookKey" FROM step
   LEFT JOIN LATERAL (
     SELECT paused_until FROM webhook_health WHERE webhook_key = step.webhook_key OFFSET 0
   ) AS h ON true,
   LATERAL (SELECT is_active FROM webhooks WHERE key = step.webhook_key OFFSET 0) AS w,
   LATERAL (
     (SELECT 1 FROM open_callouts o WHERE w.is_active AND o.webhook_key = step.webhook_key AND o.state = 'due'
        AND o.due_at <= now() AND (o.lease_until IS NULL OR o.lease_until <= now()) ORDER BY o.due_at LIMIT 1)
     UNION ALL
     (SELECT 1 FROM open_callouts o WHERE NOT w.is_active AND o.webhook_key = step.webhook_key AND ${isCallToBeMade}
        AND o.due_at <= now() AND (o.lease_until IS NULL OR o.lease_until <= now()) LIMIT 1)
     LIMIT 1
   ) AS due
   WHERE step.webhook_key IS NOT NULL AND (h.paused_until IS NULL OR h.paused_until <= now())
   LIMIT $2`,
);

/**
 * Webhooks with a callout that is due and that nobody is sending: its time has come, its wake-up call was lost, or the
 * lease of a dead worker has ended. In order of the key, above `afterKey`. Those that are paused are left to rest, and of
 * those that are shut only deactivation calls count.
 */
export async function webhooksWithDueCallouts(client: Client, afterKey: number, limit: number): Promise<number[]> {
  return (await findDue(client, [afterKey, limit])).map((row) => row.webhookKey).toSorted((a, b) => a - b);
}
