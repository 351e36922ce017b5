-- Stores callouts as handed out, under the leases of the claim before. A callout that has lost the lease is not
-- handed out.
--
-- $1 uuid[]  names of the leases, for the program that fetches
-- $2 uuid[]  callouts
-- $3 uuid[]  their leases
--
-- locks: none
-- indexes: open_callouts_pkey
INSERT INTO pull_leases (id, tenant_id, webhook_key, callout_id, record_id, sequence_number, kind, action, event_id,
  is_redelivery, number, attempts_before, lease_owner, handed_out_at, lease_until)
SELECT h.id, o.tenant_id, o.webhook_key, o.callout_id, o.record_id, o.sequence_number, o.kind, o.action, o.event_id,
  o.is_redelivery, o.attempts_made + 1, o.attempts_before, o.lease_owner, now(), o.lease_until
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS h (id, callout_id, lease_owner), LATERAL (
  SELECT * FROM open_callouts WHERE callout_id = h.callout_id OFFSET 0
) AS o
WHERE o.lease_owner = h.lease_owner
RETURNING id, handed_out_at AS "handedOutAt", lease_until AS "leaseUntil"
