-- Counts open work by the reason for which a callout is not sent at once, and the connections of the server.
--
-- locks: none
-- indexes: notifications_state_due_at_idx, open_callouts_webhook_key_record_id_sequence_number_idx,
--   pending_events_enqueue_at_idx, pending_events_pkey, webhook_health_pkey, webhook_rates_pkey, webhooks_pkey
WITH by_webhook AS MATERIALIZED (
  SELECT n.*, n.kind <> 'deactivation' AND NOT w.is_active AS is_inactive,
    CASE n.kind WHEN 'deactivation' THEN w.deactivation_mode ELSE w.delivery_mode END = 'pull' AS is_pulled,
    n.kind = 'event' AND (coalesce((SELECT r.next_call_at > now() - interval '2 seconds' FROM webhook_rates r
        WHERE r.webhook_key = n.webhook_key AND w.max_calls_per_second IS NOT NULL), false)
      OR coalesce(n.leased >= w.max_concurrent_calls, false)) AS is_rated
  FROM (
    SELECT webhook_key, kind, count(*) FILTER (WHERE is_leased) AS leased,
      count(*) FILTER (WHERE state = 'due' AND NOT is_leased AND is_now) AS due,
      min(due_at) FILTER (WHERE state = 'due' AND NOT is_leased AND is_now) AS due_since,
      count(*) FILTER (WHERE state = 'due' AND NOT is_leased AND NOT is_now) AS later,
      count(*) FILTER (WHERE state = 'waiting' AND NOT is_leased) AS waiting,
      count(*) FILTER (WHERE state = 'held' AND NOT is_leased) AS held
    FROM (SELECT webhook_key, kind, state, due_at, due_at <= now() AS is_now,
            coalesce(lease_until > now(), false) AS is_leased FROM open_callouts) AS o
    GROUP BY webhook_key, kind
  ) AS n JOIN webhooks w ON w.key = n.webhook_key
)
SELECT c.*, (SELECT count(*) FROM pending_events) AS events,
  (SELECT event_id FROM pending_events ORDER BY event_id LIMIT 1) AS "oldestEvent",
  (SELECT count(*) FROM webhook_health WHERE pauses > 0) AS "pausedWebhooks",
  (SELECT count(*) FROM webhook_health WHERE is_unfetched) AS "unfetchedWebhooks",
  (SELECT count(*) FROM notifications WHERE state = 'waiting') AS "waitingMails", a.*,
  current_setting('max_connections')::int AS most
FROM (
  SELECT coalesce(sum(sendable), 0)::bigint AS due, min(since) FILTER (WHERE sendable > 0) AS "dueSinceDateTime",
    coalesce(sum(leased), 0)::bigint AS "beingSent",
    coalesce(sum(due - sendable) FILTER (WHERE NOT is_paused AND NOT is_pulled AND NOT is_rated), 0)::bigint AS "inLine",
    coalesce(sum(due) FILTER (WHERE is_rated AND NOT is_paused AND NOT is_pulled), 0)::bigint AS rate,
    coalesce(sum(due) FILTER (WHERE is_pulled), 0)::bigint AS "toFetch",
    coalesce(sum(due - sendable) FILTER (WHERE is_paused), 0)::bigint AS paused,
    coalesce(sum(later), 0)::bigint AS later, coalesce(sum(waiting), 0)::bigint AS waiting,
    coalesce(sum(held), 0)::bigint AS held, coalesce(sum(cancelling), 0)::bigint AS cancelling
  FROM (
    SELECT leased, due, later, waiting, held, is_paused, is_pulled, is_rated,
      CASE WHEN is_paused THEN greatest(due_since, paused_until) ELSE due_since END AS since, 0 AS cancelling,
      CASE WHEN is_pulled THEN 0
        WHEN is_paused THEN least(due, (paused_until <= now())::int)
        WHEN is_rated THEN 0
        WHEN kind = 'event' AND leased > 0 THEN 0 ELSE due END AS sendable
    FROM (
      SELECT o.*, o.kind = 'event' AND NOT o.is_pulled AND coalesce(h.pauses, 0) > 0 AS is_paused, h.paused_until
      FROM by_webhook AS o LEFT JOIN webhook_health h ON h.webhook_key = o.webhook_key
    ) AS going
    WHERE NOT is_inactive
    UNION ALL
    SELECT leased, 0, 0, 0, 0, false, false, false, NULL, due + later + waiting + held, 0 FROM by_webhook WHERE is_inactive
  ) AS judged
) AS c, (
  SELECT count(*) FILTER (WHERE application_name = 'callout-api' AND datname = current_database()) AS api,
    count(*) FILTER (WHERE application_name = 'callout-worker' AND datname = current_database()) AS worker,
    count(*) FILTER (WHERE datname = current_database()) AS "all", count(*) AS server
  FROM pg_stat_activity WHERE backend_type = 'client backend'
) AS a
