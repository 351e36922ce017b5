import type { Pool } from 'pg';
import { statement } from '@callout/database/connection/statement/statement';
import { inTransaction } from '@callout/database/connection/transaction/transaction';
import { lowestIdAt } from '@callout/database/schema/ids';
import { storeOccurrences } from '../health/occurrences.ts';
import { readClock } from './pull-leases.ts';

// Callouts are handed out oldest first, so the oldest due one shows whether any is fetched. A program that has leases
// is working, however long it needs; one that has fetched lately may have more to do than it can. In order of the key,
// like everything that locks health.
const begin = statement<{ webhookKey: number }>(
  'unfetched_begin',
  `WITH recent AS MATERIALIZED (
     SELECT DISTINCT webhook_key FROM pull_leases
     WHERE id >= $2 AND handed_out_at > now() - $1 * interval '1 millisecond'
   )
   INSERT INTO webhook_health AS h (webhook_key, failing_since, is_unfetched)
   SELECT w.key, oldest.due_at, true
   FROM webhooks w, LATERAL (
     SELECT o.due_at FROM open_callouts o
     WHERE o.webhook_key = w.key AND o.state = 'due' AND o.kind = 'event'
       AND o.due_at <= now() - $1 * interval '1 millisecond' AND (o.lease_until IS NULL OR o.lease_until <= now())
     ORDER BY o.due_at LIMIT 1
   ) AS oldest
   WHERE (w.delivery_mode = 'pull' OR w.deactivation_mode = 'pull') AND w.delivery_mode = 'pull'
     AND w.is_active AND w.deleted_at IS NULL
     AND NOT EXISTS (SELECT FROM pull_leases p
       WHERE p.webhook_key = w.key AND p.outcome IS NULL AND p.lease_until > now())
     AND w.key NOT IN (SELECT webhook_key FROM recent)
   ORDER BY w.key
   ON CONFLICT (webhook_key) DO UPDATE SET is_unfetched = true,
     failing_since = coalesce(h.failing_since, EXCLUDED.failing_since)
     WHERE NOT h.is_unfetched
   RETURNING webhook_key AS "webhookKey"`,
  'webhook_health',
);

// After a cancellation nothing has to be fetched: the episode is over, though nothing was delivered, so there is no mail
// about a recovery. What was reported to `WebhookHealth` is over, too. Attempts that failed before still count.
const end = statement<{ webhookKey: number }>(
  'unfetched_end',
  `WITH over AS MATERIALIZED (
     SELECT h.webhook_key, h.last_failure IS NULL AS is_well, h.is_reported FROM webhook_health h
     WHERE h.is_unfetched AND NOT EXISTS (SELECT FROM open_callouts o
       WHERE o.webhook_key = h.webhook_key AND o.state = 'due' AND o.kind = 'event')
     ORDER BY h.webhook_key FOR UPDATE OF h
   ), forgotten AS (
     DELETE FROM webhook_health h USING over WHERE h.webhook_key = over.webhook_key AND over.is_well
   ), unreported AS (
     DELETE FROM failing_episodes e USING over WHERE e.webhook_key = over.webhook_key AND over.is_well
   ), fetched AS (
     UPDATE webhook_health h SET is_unfetched = false FROM over
     WHERE h.webhook_key = over.webhook_key AND NOT over.is_well
   )
   SELECT webhook_key AS "webhookKey" FROM over WHERE is_well AND is_reported ORDER BY webhook_key`,
  'webhook_health',
);

/** Ids of leases come from the clocks of API processes. */
const clockSlackMs = 600_000;

/**
 * Marks the health of webhooks whose callouts are not fetched: one has been due for `afterMs`, and no program
 * has fetched any in that time. From then on such a webhook is failing, as one is whose receiver fails; an
 * acknowledgement ends that, as any success does. Nothing is written while callouts are fetched.
 */
export async function markUnfetchedWebhooks(pool: Pool, afterMs: number): Promise<void> {
  const [clock] = await readClock(pool, [afterMs + clockSlackMs]);
  if (clock === undefined) return;
  await begin(pool, [afterMs, lowestIdAt(clock.before)]);
  await inTransaction(pool, async (transaction) => {
    const over = await end(transaction, []);
    await storeOccurrences(
      transaction,
      over.map(({ webhookKey }) => ({ webhookKey, occurrence: 'recovered', subject: 'delivery', facts: {} })),
    );
  });
}
