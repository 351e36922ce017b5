-- Locks the deactivation calls of webhooks that are still being tried.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: open_callouts
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT count(*) FROM (
  SELECT FROM open_callouts WHERE webhook_key = ANY($1::bigint[]) AND record_id = -1
  ORDER BY webhook_key, record_id, sequence_number FOR UPDATE
) AS locked
