-- Makes held callouts due and leases them. Skips callouts that are being redelivered or cancelled, since those
-- lock in another order.
--
-- $1 uuid[]            callouts
-- $2 uuid              the name of the lease
-- $3 double precision  how long it lasts, in ms
--
-- moves: held → due
-- locks: open_callouts (no key update, skip locked)
-- indexes: open_callouts_pkey, tenants_pkey, webhooks_pkey
WITH locked AS MATERIALIZED (
  SELECT callout_id FROM open_callouts o WHERE callout_id = ANY($1::uuid[]) AND state = 'held'
    AND (SELECT state FROM tenants WHERE id = o.tenant_id) = 'active'
  FOR NO KEY UPDATE SKIP LOCKED
), leased AS (
  UPDATE open_callouts SET state = 'due', due_at = now(), lease_owner = $2,
    lease_until = now() + $3 * interval '1 millisecond'
  WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM locked)) RETURNING *
)
SELECT leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
  w.version AS "webhookVersion", leased.entity_type AS "entityType", leased.record_id AS "recordId",
  leased.sequence_number AS "sequenceNumber", leased.kind, leased.action, leased.event_id AS "eventId",
  leased.attempts_made AS "attemptsMade", leased.attempts_before AS "attemptsBefore", leased.is_redelivery AS "isRedelivery",
  NULL::timestamptz AS "countedAt", leased.accepted_at AS "acceptedAt",
  leased.trace_parent AS "traceParent", leased.lease_owner AS "leaseOwner"
FROM leased, LATERAL (SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0) AS w
ORDER BY leased.callout_id
