-- Locks the rates of the webhooks that have limits of their own, in order of the key, and reads those limits. The calls
-- under way are counted after the lock.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhook_rates
-- indexes: webhook_rates_pkey, webhooks_pkey
WITH locked AS MATERIALIZED (
  SELECT r.webhook_key, r.next_call_at FROM webhook_rates r WHERE r.webhook_key = ANY($1::bigint[])
  ORDER BY r.webhook_key FOR NO KEY UPDATE
)
SELECT locked.webhook_key AS "webhookKey", locked.next_call_at AS "nextCallAt", clock_timestamp() AS now,
  w.max_calls_per_second AS "perSecond", w.max_concurrent_calls AS "atOnce",
  CASE WHEN w.max_concurrent_calls IS NULL THEN 0 ELSE limited_calls_under_way(locked.webhook_key) END AS "underWay"
FROM locked, LATERAL (
  SELECT max_calls_per_second, max_concurrent_calls FROM webhooks WHERE key = locked.webhook_key OFFSET 0
) AS w
WHERE w.max_calls_per_second IS NOT NULL OR w.max_concurrent_calls IS NOT NULL
