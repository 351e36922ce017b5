-- Leases due callouts of a webhook for a program that fetches: the longest due, the tests, and the
-- deactivation call where the call is fetched, too. Rows that are being claimed elsewhere are skipped. A lease that has
-- ended is first settled as a failed attempt (pull_find_lapsed), unless nothing was handed out. No more than
-- fits into an answer, but at least one. The commit does not wait for the disk: a lease that is lost with the server
-- only means that the callout is handed out once more. `state || ''`: see README.md.
--
-- $1 bigint            key of the webhook
-- $2 bigint            how many at most
-- $3 uuid              the name of the lease
-- $4 double precision  how long the lease lasts, in ms
-- $5 bigint            bytes of bodies
--
-- locks: open_callouts (no key update, skip locked)
-- indexes: open_callouts_calls, open_callouts_due, open_callouts_pkey, pull_leases_open,
--   tenants_pkey, webhooks_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), wanted AS MATERIALIZED (
  SELECT w.key AS webhook_key, w.is_active AND w.delivery_mode = 'pull' AS is_fetched,
    w.deactivation_mode = 'pull' AS is_deactivation_fetched
  FROM unhurried, webhooks w WHERE w.key = $1 AND (SELECT state FROM tenants WHERE id = w.tenant_id) = 'active'
), picked AS (
  SELECT head.* FROM wanted, LATERAL (
    SELECT o.callout_id, o.body_bytes FROM open_callouts o
    WHERE o.webhook_key = wanted.webhook_key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now() AND NOT EXISTS (
        SELECT FROM pull_leases p
        WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL))
      AND o.kind = 'event'
    ORDER BY o.due_at LIMIT $2 FOR NO KEY UPDATE OF o SKIP LOCKED
  ) AS head WHERE wanted.is_fetched
), calls AS (
  SELECT head.* FROM wanted, LATERAL (
    SELECT o.callout_id, o.body_bytes FROM open_callouts o
    WHERE o.webhook_key = wanted.webhook_key AND o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'
      AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now() AND NOT EXISTS (
        SELECT FROM pull_leases p
        WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL))
      AND CASE o.kind WHEN 'deactivation' THEN wanted.is_deactivation_fetched ELSE wanted.is_fetched END
    LIMIT $2 FOR NO KEY UPDATE OF o SKIP LOCKED
  ) AS head
), sized AS MATERIALIZED (
  SELECT callout_id, sum(body_bytes) OVER (ORDER BY place, callout_id) AS bytes,
    row_number() OVER (ORDER BY place, callout_id) AS nth
  FROM (SELECT *, 1 AS place FROM calls UNION ALL SELECT *, 2 FROM picked) AS found
), leased AS (
  UPDATE open_callouts SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
  WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM sized WHERE nth <= $2 AND (bytes <= $5 OR nth = 1)))
  RETURNING *
)
SELECT leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
  w.version AS "webhookVersion", leased.entity_type AS "entityType", leased.record_id AS "recordId",
  leased.sequence_number AS "sequenceNumber", leased.kind, leased.action, leased.event_id AS "eventId",
  leased.attempts_made AS "attemptsMade", leased.attempts_before AS "attemptsBefore", leased.is_redelivery AS "isRedelivery",
  NULL::timestamptz AS "countedAt", leased.accepted_at AS "acceptedAt", leased.trace_parent AS "traceParent",
  leased.lease_owner AS "leaseOwner",
  t.threshold
FROM leased,
  LATERAL (
    SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0
  ) AS w,
  LATERAL (
    SELECT callout_threshold AS threshold FROM tenants WHERE id = leased.tenant_id OFFSET 0
  ) AS t
ORDER BY leased.webhook_key, leased.sequence_number
