-- Reads the leases under which a program got callouts, by the ids in the answer. No leases of a tenant that is being
-- moved: an acknowledgement is now for the next zone of the tenant.
--
-- $1 uuid[]  names of leases
-- $2 bigint  key of the webhook; null: of any
--
-- locks: none
-- indexes: open_callouts_pkey, pull_leases_pkey, tenants_pkey, webhooks_pkey
SELECT p.id, p.callout_id AS "calloutId", p.tenant_id AS "tenantId", p.webhook_key AS "webhookKey",
  p.record_id AS "recordId", p.sequence_number AS "sequenceNumber", p.kind, p.action, p.event_id AS "eventId",
  p.is_redelivery AS "isRedelivery", p.number, p.attempts_before AS "attemptsBefore", p.lease_owner AS "leaseOwner",
  p.handed_out_at AS "handedOutAt", p.outcome, now() AS now,
  (SELECT o.trace_parent FROM open_callouts o WHERE o.callout_id = p.callout_id) AS "traceParent",
  (SELECT w.signature_kind FROM webhooks w WHERE w.key = p.webhook_key) AS "signatureKind"
FROM pull_leases p WHERE p.id = ANY($1::uuid[]) AND ($2::bigint IS NULL OR p.webhook_key = $2)
  AND (SELECT state FROM tenants WHERE id = p.tenant_id) = 'active'
