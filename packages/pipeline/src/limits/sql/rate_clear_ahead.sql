-- Lets the next calls begin now whose times are further ahead than any call can have moved them: a call moves the time to
-- at most the time between two calls from now, so the clock of PostgreSQL was set back since. One second more is for
-- transactions that began earlier than they wrote. Rates that are being used are skipped.
--
-- locks: webhook_rates (skip locked)
-- indexes: webhook_rates_pkey, webhooks_pkey
WITH ahead AS MATERIALIZED (
  SELECT r.webhook_key FROM webhook_rates r, LATERAL (
    SELECT max_calls_per_second AS per_second FROM webhooks WHERE key = r.webhook_key OFFSET 0
  ) AS w
  WHERE r.next_call_at > now() + interval '1 second'
    AND r.next_call_at > now() + (1 + coalesce(1 / w.per_second, 0)) * interval '1 second'
  ORDER BY r.webhook_key FOR NO KEY UPDATE OF r SKIP LOCKED
)
UPDATE webhook_rates r SET next_call_at = now() FROM ahead WHERE r.webhook_key = ahead.webhook_key
RETURNING r.webhook_key AS "webhookKey"
