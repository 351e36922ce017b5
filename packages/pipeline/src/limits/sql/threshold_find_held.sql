-- Finds the oldest held callouts of an episode. A webhook has at most the slots of the worker, and a paused webhook a
-- single slot once the pause is over. An inactive webhook has no slot, since held callouts are being cancelled, nor has a
-- webhook whose tenant is not served here. Callouts that are fetched are released for the program that fetches alone,
-- whether the webhook is paused or not.
--
-- A webhook with limits of its own has no more than the limits allow now: however many callouts of the webhook are held,
-- callouts beyond the limits are neither read nor take the room of further webhooks. Decided under the lock of rate_lock.
-- Bounds in place of `=`: see STATEMENTS.md.
--
-- $1 int     tenant
-- $2 text    entity type
-- $3 int     how many at most
-- $4 int     slots of this worker
-- $5 bigint  key of the webhook whose callouts are fetched; null: all whose callouts are sent
--
-- locks: none
-- indexes: open_callouts_held_by_webhook, tenants_pkey, threshold_episode_webhooks_pkey, webhook_health_pkey,
--   webhook_rates_pkey, webhooks_pkey
SELECT head.callout_id AS id, head.webhook_key AS "webhookKey", w.is_limited AS "isLimited",
  head.body_bytes AS "bodyBytes"
FROM threshold_episode_webhooks e,
  LATERAL (
    SELECT is_active, delivery_mode, max_calls_per_second IS NOT NULL OR max_concurrent_calls IS NOT NULL AS is_limited,
      max_calls_per_second AS per_second, max_concurrent_calls AS at_once
    FROM webhooks WHERE key = e.webhook_key OFFSET 0
  ) AS w
  LEFT JOIN LATERAL (
    -- The smaller of the two; null: no such limit.
    SELECT CASE WHEN next_call_at > now() THEN 0 ELSE greatest(0, least(floor(w.per_second * 0.5)::int + 1,
      w.at_once - CASE WHEN w.at_once IS NOT NULL THEN limited_calls_under_way(e.webhook_key) END)) END AS calls
    FROM webhook_rates WHERE webhook_key = e.webhook_key AND w.is_limited OFFSET 0
  ) AS allowed ON true
  LEFT JOIN LATERAL (
    SELECT pauses, paused_until FROM webhook_health WHERE webhook_key = e.webhook_key OFFSET 0
  ) AS h ON true,
  LATERAL (
    SELECT o.callout_id, o.webhook_key, o.body_bytes FROM open_callouts o
    WHERE o.webhook_key >= e.webhook_key AND o.webhook_key <= e.webhook_key AND o.state = 'held'
    ORDER BY o.webhook_key, o.callout_id LIMIT CASE
      WHEN NOT w.is_active OR (w.delivery_mode = 'pull') <> ($5::bigint IS NOT NULL) OR e.webhook_key <> $5 THEN 0
      WHEN w.delivery_mode = 'pull' THEN least($3::int, $4::int)
      WHEN w.is_limited AND coalesce(allowed.calls, 0) = 0 THEN 0
      WHEN coalesce(h.pauses, 0) = 0 THEN least($3::int, $4::int, allowed.calls)
      WHEN h.paused_until <= now() THEN 1
      ELSE 0 END
  ) AS head
WHERE (e.tenant_id, e.entity_type) = ($1, $2) AND (SELECT state FROM tenants WHERE id = $1) = 'active'
ORDER BY head.callout_id LIMIT $3
