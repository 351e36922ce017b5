-- Creates the rates of webhooks that have limits of their own, hold callouts and had no call since they have limits.
--
-- locks: webhook_rates
-- indexes: threshold_windows_episodes, threshold_episode_webhooks_pkey, webhook_rates_pkey, webhooks_pkey
INSERT INTO webhook_rates (webhook_key)
SELECT e.webhook_key FROM threshold_windows t, LATERAL (
  SELECT webhook_key FROM threshold_episode_webhooks WHERE (tenant_id, entity_type) = (t.tenant_id, t.entity_type) OFFSET 0
) AS e, LATERAL (
  SELECT max_calls_per_second IS NOT NULL OR max_concurrent_calls IS NOT NULL AS is_limited
  FROM webhooks WHERE key = e.webhook_key OFFSET 0
) AS w
WHERE t.episode_started_at IS NOT NULL AND w.is_limited
  AND NOT EXISTS (SELECT FROM webhook_rates WHERE webhook_key = e.webhook_key OFFSET 0)
ORDER BY e.webhook_key ON CONFLICT DO NOTHING
