-- As delivery_lock_held; and locks the deactivation calls of webhooks that may be deactivated, in the same order.
--
-- $1 uuid[]    callouts
-- $2 bigint[]  keys of the webhooks that may be deactivated
--
-- locks: open_callouts
-- indexes: open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx
WITH locked AS MATERIALIZED (
  SELECT o.callout_id, o.lease_owner FROM open_callouts o
  WHERE o.callout_id = ANY(ARRAY(
    SELECT id FROM unnest($1::uuid[]) AS id
    UNION SELECT callout_id FROM open_callouts WHERE webhook_key = ANY($2::bigint[]) AND record_id = -1))
  ORDER BY o.webhook_key, o.record_id, o.sequence_number FOR UPDATE
)
SELECT callout_id, lease_owner FROM locked WHERE callout_id = ANY($1::uuid[])
