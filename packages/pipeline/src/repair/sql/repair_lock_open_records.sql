-- Locks all open callouts of records and returns the head of each. All of a record are locked, since settling its
-- first one makes the second one due: holding the second and then waiting for the first would be a deadlock. By record
-- and number.
--
-- $1 bigint    key of the webhook
-- $2 bigint[]  records
--
-- locks: open_callouts
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT record_id AS "recordId", min(sequence_number) AS "headSequence",
  (array_agg(callout_id ORDER BY sequence_number))[1] AS "headId",
  max(lease_until) FILTER (WHERE lease_until > now()) + interval '1 millisecond' AS "busyUntil"
FROM (
  SELECT record_id, sequence_number, callout_id, lease_until FROM open_callouts
  WHERE webhook_key = $1 AND record_id = ANY($2::bigint[])
  ORDER BY record_id, sequence_number FOR UPDATE
) AS locked
GROUP BY record_id
