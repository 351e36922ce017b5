-- Counts the callouts of events that are open when their webhooks are deactivated.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT webhook_key AS "webhookKey", count(*) FROM open_callouts
WHERE webhook_key = ANY($1::bigint[]) AND kind = 'event' GROUP BY webhook_key
