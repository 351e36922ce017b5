-- Ends the leases of callouts that need not be held after all. In the order of threshold_hold.
--
-- $1 uuid[]  callouts
-- $2 uuid[]  their leases
--
-- locks: open_callouts (no key update)
-- indexes: open_callouts_pkey
UPDATE open_callouts SET lease_owner = NULL, lease_until = NULL
WHERE callout_id = ANY(ARRAY(
  SELECT callout_id FROM open_callouts WHERE callout_id = ANY($1::uuid[]) AND lease_owner = ANY($2::uuid[])
  ORDER BY webhook_key, record_id, sequence_number FOR NO KEY UPDATE))
