-- The first and the last number of the stored callouts of a webhook; null when there are none.
--
-- $1 bigint  key of the webhook
--
-- locks: none
-- indexes: callouts_webhook_key_sequence_number_idx
SELECT min(sequence_number) AS first, max(sequence_number) AS last FROM callouts WHERE webhook_key = $1
