-- Finds the webhook with the longest overdue callout. Skips from webhook to webhook, as the sweep does, and covers
-- the same callouts: no pulled ones, and none of a tenant that is not served here. No reason to alert an operator:
-- a paused webhook waits for its receiver, a webhook with a callout being sent has a worker, and a webhook that
-- limits its calls has begun a call when its rate last allowed a call. OFFSET 0: otherwise the planner may join all
-- webhooks first, and read every callout of each.
--
-- $1 double precision  how long a callout must have been due, in ms
-- $2 bigint            callouts of a webhook that are searched for a lease
--
-- locks: none
-- indexes: open_callouts_due, tenants_pkey, webhook_health_pkey, webhook_rates_pkey, webhooks_pkey
WITH RECURSIVE step (webhook_key) AS (
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
    ORDER BY due_at LIMIT $2
  ) AS first WHERE first.lease_until > now())
ORDER BY due.due_at LIMIT 1
