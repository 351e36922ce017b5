-- Counts the callouts that wait behind callouts of their records.
--
-- $1 bigint    key of the webhook
-- $2 bigint[]  records
--
-- locks: open_callouts
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT count(*)::int AS count FROM open_callouts
WHERE webhook_key = $1 AND record_id = ANY($2::bigint[]) AND kind = 'event' AND state = 'waiting'
