-- Leases due callouts of many webhooks, as many of each as there are free slots. Rows that are being claimed elsewhere
-- are skipped. A paused webhook gets one callout when its pause is over, its oldest, and no other worker may call its
-- receiver meanwhile. Tests and deactivation calls, which are few, are always claimed, ahead of any backlog. Of an inactive
-- webhook only the deactivation calls are claimed, of one whose tenant is not served here nothing, and callouts that a program
-- fetches (`pull:`, see pull/pull_claim) are never claimed here. The commit does not wait for the disk: a lease that is
-- lost with the server only means that the callout is sent once more. `state || ''`: see README.md.
--
-- $1 bigint[]          keys of the webhooks
-- $2 int[]             free slots of each
-- $3 uuid              the name of the lease
-- $4 double precision  how long it lasts, in ms
--
-- locks: webhook_health (skip locked), open_callouts (no key update, skip locked)
-- indexes: open_callouts_by_number, open_callouts_calls, open_callouts_due, open_callouts_pkey,
--   tenants_pkey, webhook_health_pkey, webhooks_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), wanted AS MATERIALIZED (
  SELECT w.webhook_key, w.slots, coalesce(h.pauses, 0) > 0 AS is_paused, a.is_sent, a.is_deactivation_sent
  FROM unhurried, unnest($1::bigint[], $2::int[]) AS w (webhook_key, slots),
  LATERAL (
    SELECT is_active AND delivery_mode = 'push' AS is_sent, deactivation_mode = 'push' AS is_deactivation_sent
    FROM webhooks WHERE key = w.webhook_key AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' OFFSET 0
  ) AS a
  LEFT JOIN LATERAL (SELECT * FROM webhook_health WHERE webhook_key = w.webhook_key OFFSET 0) AS h ON true
), probed AS (
  UPDATE webhook_health SET probe_lease = $3, paused_until = now() + $4 * interval '1 millisecond'
  WHERE webhook_key = ANY(ARRAY(
    SELECT over.webhook_key FROM wanted, LATERAL (
      SELECT webhook_key FROM webhook_health h
      WHERE h.webhook_key = wanted.webhook_key AND h.paused_until <= now() AND EXISTS (
        SELECT FROM open_callouts o WHERE o.webhook_key = h.webhook_key AND o.state = 'due' AND o.due_at <= now()
          AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event')
      FOR UPDATE SKIP LOCKED
    ) AS over WHERE wanted.is_paused AND wanted.is_sent))
  RETURNING webhook_key
), picked AS (
  SELECT head.callout_id FROM wanted, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = wanted.webhook_key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
    ORDER BY o.due_at LIMIT wanted.slots FOR NO KEY UPDATE SKIP LOCKED
  ) AS head WHERE NOT wanted.is_paused AND wanted.is_sent
), probes AS (
  SELECT head.callout_id FROM probed, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = probed.webhook_key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
    ORDER BY o.sequence_number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  ) AS head
), calls AS (
  SELECT head.callout_id FROM wanted, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = wanted.webhook_key AND o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'
      AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now())
      AND CASE o.kind WHEN 'deactivation' THEN wanted.is_deactivation_sent ELSE wanted.is_sent END
    LIMIT wanted.slots FOR NO KEY UPDATE SKIP LOCKED
  ) AS head
), leased AS (
  UPDATE open_callouts SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
  WHERE callout_id = ANY(ARRAY(
    SELECT callout_id FROM picked UNION ALL SELECT callout_id FROM probes UNION ALL SELECT callout_id FROM calls))
  RETURNING *
)
SELECT leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
  w.version AS "webhookVersion", leased.entity_type AS "entityType", leased.record_id AS "recordId",
  leased.sequence_number AS "sequenceNumber", leased.kind, leased.action, leased.event_id AS "eventId",
  leased.attempts_made AS "attemptsMade", leased.attempts_before AS "attemptsBefore", leased.is_redelivery AS "isRedelivery",
  NULL::timestamptz AS "countedAt", leased.accepted_at AS "acceptedAt",
  leased.trace_parent AS "traceParent", leased.lease_owner AS "leaseOwner",
  (SELECT callout_threshold FROM tenants WHERE id = leased.tenant_id) AS threshold
FROM leased, LATERAL (SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0) AS w
ORDER BY leased.webhook_key, leased.sequence_number
