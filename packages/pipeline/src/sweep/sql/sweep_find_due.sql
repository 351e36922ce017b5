-- Finds webhooks with a callout that is due and that nothing is sending. Paused webhooks are skipped, and of inactive
-- webhooks only deactivation calls count. A failing webhook whose `probe_at` has come needs only a callout that was
-- tried before. Webhooks whose rate allows no call yet are skipped as well. No worker sends callouts that a program
-- fetches (`pull:`), or callouts of a tenant that is not served here.
--
-- Jumps from webhook to webhook along the index, so that a million callouts of a webhook cost a single step. A
-- recursion runs only until enough rows are fetched, and in order: sorted here, or joined in a way that does not fetch row
-- by row, the recursion would run to the end for the first hundred. The condition on due_at comes with the order, so
-- that the index skips callouts that are due later. `state || ''`: see README.md.
--
-- $1 bigint  key of a webhook: webhooks behind
-- $2 bigint  how many at most
--
-- locks: none
-- indexes: open_callouts_calls, open_callouts_due, tenants_pkey, webhook_health_pkey,
--   webhook_rates_pkey, webhooks_pkey
WITH RECURSIVE step (webhook_key) AS (
  (SELECT webhook_key FROM open_callouts WHERE state = 'due' AND webhook_key > $1 ORDER BY webhook_key LIMIT 1)
  UNION ALL
  SELECT (SELECT o.webhook_key FROM open_callouts o WHERE o.state = 'due' AND o.webhook_key > step.webhook_key
          ORDER BY o.webhook_key LIMIT 1)
  FROM step WHERE step.webhook_key IS NOT NULL
)
SELECT step.webhook_key AS "webhookKey" FROM step
LEFT JOIN LATERAL (
  SELECT paused_until, probe_at FROM webhook_health WHERE webhook_key = step.webhook_key OFFSET 0
) AS h ON true,
LATERAL (
  SELECT is_active AND delivery_mode = 'push' AS is_sent, deactivation_mode = 'push' AS is_deactivation_sent,
    max_calls_per_second IS NULL OR coalesce((
      SELECT next_call_at <= now() FROM webhook_rates WHERE webhook_key = step.webhook_key), true) AS may_be_called
  FROM webhooks WHERE key = step.webhook_key AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' OFFSET 0
) AS w,
LATERAL (
  (SELECT 1 FROM open_callouts o WHERE w.is_sent AND w.may_be_called AND o.webhook_key = step.webhook_key AND o.state = 'due'
     AND o.due_at <= now() AND (o.lease_until IS NULL OR o.lease_until <= now()) ORDER BY o.due_at LIMIT 1)
  UNION ALL
  (SELECT 1 FROM open_callouts o WHERE NOT w.is_sent AND w.is_deactivation_sent AND o.webhook_key = step.webhook_key
     AND o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'
     AND o.kind = 'deactivation' AND o.due_at <= now() AND (o.lease_until IS NULL OR o.lease_until <= now()) LIMIT 1)
  UNION ALL
  (SELECT 1 FROM open_callouts o WHERE h.probe_at <= now() AND w.is_sent AND w.may_be_called AND o.webhook_key = step.webhook_key
     AND o.state = 'due' AND o.attempts_made > 0 AND o.kind = 'event' AND (o.lease_until IS NULL OR o.lease_until <= now())
   ORDER BY o.due_at LIMIT 1)
  LIMIT 1
) AS due
WHERE step.webhook_key IS NOT NULL AND (h.paused_until IS NULL OR h.paused_until <= now())
LIMIT $2
