-- Begins the health of pulled webhooks whose program has stopped fetching. Callouts are handed out oldest first, so
-- the oldest due callout shows whether any is fetched. A program that has leases is working, however long the work
-- takes; a program that has fetched lately may have more to do than it can. In the order of their keys, like
-- everything that locks health.
--
-- $1 double precision  how long a callout must have been due, in ms
-- $2 uuid              the lowest id of a lease that may be younger
--
-- locks: webhook_health
-- indexes: open_callouts_due, pull_leases_pkey
WITH recent AS MATERIALIZED (
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
RETURNING webhook_key AS "webhookKey"
