-- Cancels the part that delivery_lock_part has locked; the id of a lease is kept for a late 2xx. Not in the
-- statement that locks: this one sees the changes that the other had to wait for. Begins at a position, so that no part
-- reads through the rows that the parts before it have deleted.
--
-- $1 bigint  key of the webhook
-- $2 bigint  the first record
-- $3 bigint  the first sequence number of it
-- $4 bigint  how many at most
--
-- locks: none (delivery_lock_part has them)
-- indexes: callouts_pkey, open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx
WITH part AS MATERIALIZED (
  SELECT callout_id, record_id, sequence_number, lease_owner FROM open_callouts
  WHERE webhook_key = $1 AND (record_id, sequence_number) >= ($2, $3) AND kind <> 'deactivation'
  ORDER BY record_id, sequence_number LIMIT $4
), closed AS (
  DELETE FROM open_callouts WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM part))
), stamped AS (
  UPDATE callouts c SET state = 'cancelled', finished_at = now(), cancelled_lease = part.lease_owner
  FROM part WHERE c.id = part.callout_id
)
SELECT count(*) OVER () AS count, record_id AS "recordId", sequence_number AS "sequenceNumber" FROM part
ORDER BY record_id DESC, sequence_number DESC LIMIT 1
