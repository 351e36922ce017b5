-- Finds the last delivered callout of records: each record by the index of its callouts, and once, however many of
-- its callouts are redelivered.
--
-- $1 bigint    key of the webhook
-- $2 bigint[]  records
-- $3 uuid      the lowest id of a callout
--
-- locks: none
-- indexes: callouts_webhook_key_sequence_number_idx
SELECT r.record_id AS "recordId", (
  SELECT max(c.sequence_number) FROM callouts c
  WHERE c.webhook_key = $1 AND c.record_id = r.record_id AND c.state = 'delivered' AND c.kind = 'event' AND c.id >= $3
) AS delivered FROM unnest($2::bigint[]) AS r (record_id)
