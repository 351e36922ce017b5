-- Locks a part of the open callouts of a webhook, in the order in which settle locks those it ends: record, number.
-- Callouts that settle has locked end first, and are then no longer open. Begins at a position, so that no part reads
-- through the rows that the parts before it have deleted.
--
-- $1 bigint  key of the webhook
-- $2 bigint  the first record
-- $3 bigint  the first sequence number of it
-- $4 bigint  how many at most
--
-- locks: open_callouts
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT callout_id AS id, record_id AS "recordId", sequence_number AS "sequenceNumber" FROM open_callouts
WHERE webhook_key = $1 AND (record_id, sequence_number) >= ($2, $3) AND kind <> 'deactivation'
ORDER BY record_id, sequence_number LIMIT $4 FOR UPDATE
