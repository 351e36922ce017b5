-- Finds the oldest held callouts of an episode. A paused webhook has one slot once its pause is over, and none has more
-- than this worker. An inactive one has none, since what it still holds is being cancelled, nor has one whose tenant is
-- not served here. Callouts that are fetched are released for the program that fetches them alone, and no pause concerns them.
--
-- $1 int     tenant
-- $2 text    entity type
-- $3 int     how many at most
-- $4 int     slots of this worker
-- $5 bigint  key of the webhook whose callouts are fetched; null: all whose callouts are sent
--
-- locks: none
-- indexes: open_callouts_held_by_webhook, tenants_pkey, threshold_episode_webhooks_pkey, webhook_health_pkey, webhooks_pkey
SELECT head.callout_id AS id, head.webhook_key AS "webhookKey", w.is_limited AS "isLimited"
FROM threshold_episode_webhooks e,
  LATERAL (
    SELECT is_active, delivery_mode, max_calls_per_second IS NOT NULL OR max_concurrent_calls IS NOT NULL AS is_limited
    FROM webhooks WHERE key = e.webhook_key OFFSET 0
  ) AS w
  LEFT JOIN LATERAL (
    SELECT pauses, paused_until FROM webhook_health WHERE webhook_key = e.webhook_key OFFSET 0
  ) AS h ON true,
  LATERAL (
    SELECT o.callout_id, o.webhook_key FROM open_callouts o WHERE o.webhook_key = e.webhook_key AND o.state = 'held'
    ORDER BY o.callout_id LIMIT CASE
      WHEN NOT w.is_active OR (w.delivery_mode = 'pull') <> ($5::bigint IS NOT NULL) OR e.webhook_key <> $5 THEN 0
      WHEN w.delivery_mode = 'pull' THEN least($3::int, $4::int)
      WHEN coalesce(h.pauses, 0) = 0 THEN least($3::int, $4::int)
      WHEN h.paused_until <= now() THEN 1
      ELSE 0 END
  ) AS head
WHERE (e.tenant_id, e.entity_type) = ($1, $2) AND (SELECT state FROM tenants WHERE id = $1) = 'active'
ORDER BY head.callout_id LIMIT $3
