-- Leases callouts that fail since no program fetched them for too long: of webhooks whose callouts are fetched, callouts
-- that are older and have no lease. A redelivered callout counts from the redelivery. A deactivation call counts where
-- the call is fetched, also of a deleted webhook. Numbers rise with ids, so a backlog is read up to the first callout that is
-- young enough.
--
-- $1 uuid              callouts with lower ids are too old
-- $2 double precision  how long callouts are kept, in ms
-- $3 uuid              the name of the lease
-- $4 double precision  how long the lease lasts, in ms
-- $5 bigint            how many at most
--
-- locks: open_callouts (no key update, skip locked)
-- indexes: callouts_webhook_key_id_idx, open_callouts_by_number, open_callouts_calls, open_callouts_pkey, tenants_pkey,
--   webhooks_pulled
WITH pulled AS MATERIALIZED (
  SELECT key, is_active AND delivery_mode = 'pull' AS is_fetched, deactivation_mode = 'pull' AS is_deactivation_fetched,
    coalesce((
      SELECT c.sequence_number FROM callouts c WHERE c.webhook_key = webhooks.key AND c.id >= $1 AND c.kind = 'event'
      ORDER BY c.id LIMIT 1
    ), 9223372036854775807) AS young_from
  FROM webhooks WHERE (delivery_mode = 'pull' OR deactivation_mode = 'pull')
    AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' ORDER BY key
), stale AS (
  SELECT head.callout_id FROM pulled, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = pulled.key AND o.state = 'due' AND o.kind = 'event' AND o.callout_id < $1 AND o.due_at <= now()
      AND o.sequence_number < pulled.young_from
      AND (NOT o.is_redelivery OR o.due_at <= now() - $2 * interval '1 millisecond')
      AND (o.lease_until IS NULL OR o.lease_until <= now() - interval '1 minute')
    ORDER BY o.sequence_number LIMIT $5 FOR NO KEY UPDATE OF o SKIP LOCKED
  ) AS head WHERE pulled.is_fetched
), calls AS (
  SELECT head.callout_id FROM pulled, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = pulled.key AND o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'
      AND o.callout_id < $1 AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now() - interval '1 minute')
      AND CASE o.kind WHEN 'deactivation' THEN pulled.is_deactivation_fetched ELSE pulled.is_fetched END
    LIMIT $5 FOR NO KEY UPDATE OF o SKIP LOCKED
  ) AS head
)
UPDATE open_callouts o SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
WHERE o.callout_id = ANY(ARRAY(
  SELECT callout_id FROM (SELECT callout_id FROM stale UNION ALL SELECT callout_id FROM calls) AS either LIMIT $5))
RETURNING o.callout_id AS id, o.lease_owner AS "leaseOwner"
