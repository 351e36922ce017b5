-- Finds the last event of each record that a webhook has got.
--
-- $1 bigint    key of the webhook
-- $2 bigint[]  records
-- $3 uuid      the lowest id of a callout
--
-- locks: none
-- indexes: callouts_webhook_key_record_id_idx
SELECT r.record_id AS "recordId", last.event_id AS "eventId" FROM unnest($2::bigint[]) AS r (record_id), LATERAL (
  SELECT max(event_id::text) AS event_id FROM callouts
  WHERE webhook_key = $1 AND record_id = r.record_id AND state = 'delivered' AND kind = 'event' AND id >= $3
) AS last WHERE last.event_id IS NOT NULL
