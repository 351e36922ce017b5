-- Finds leases that ended without an acknowledgement, in the order of their ends. No leases of a tenant that is
-- being moved: the next zone of the tenant settles the leases.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: open_callouts_pkey, pull_leases_lapsing, tenants_pkey, webhooks_pkey
SELECT p.id, p.callout_id AS "calloutId", p.tenant_id AS "tenantId", p.webhook_key AS "webhookKey",
  p.record_id AS "recordId", p.sequence_number AS "sequenceNumber", p.kind, p.action, p.event_id AS "eventId",
  p.is_redelivery AS "isRedelivery", p.number, p.attempts_before AS "attemptsBefore", p.lease_owner AS "leaseOwner",
  p.handed_out_at AS "handedOutAt", p.outcome, now() AS now,
  (SELECT o.trace_parent FROM open_callouts o WHERE o.callout_id = p.callout_id) AS "traceParent",
  (SELECT w.signature_kind FROM webhooks w WHERE w.key = p.webhook_key) AS "signatureKind"
FROM pull_leases p WHERE p.outcome IS NULL AND p.lease_until <= now()
  AND (SELECT state FROM tenants WHERE id = p.tenant_id) = 'active'
ORDER BY p.lease_until LIMIT $1
