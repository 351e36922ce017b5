-- Finds open callouts to cancel. Backwards, so that the first of a record is cancelled last: until then nothing
-- behind it becomes due.
--
-- $1 bigint   key of the webhook
-- $2 bigint   only callouts before this record id
-- $3 bigint   and this sequence number
-- $4 bigint   the lowest sequence number
-- $5 bigint   the highest sequence number
-- $6 text[]   states
-- $7 uuid     the lowest id of a callout
-- $8 uuid     the id that all of them are below
-- $9 bigint   a record; null: all
-- $10 text[]  actions; null: all
-- $11 uuid[]  callouts; null: all
-- $12 bigint  how many at most
--
-- locks: none
-- indexes: none
SELECT callout_id AS id, record_id AS "recordId", sequence_number AS "sequenceNumber" FROM open_callouts
WHERE webhook_key = $1 AND (record_id, sequence_number) < ($2, $3) AND kind = 'event'
  AND sequence_number BETWEEN $4 AND $5 AND state = ANY($6::text[]) AND callout_id >= $7 AND callout_id < $8
  AND ($9::bigint IS NULL OR record_id = $9) AND ($10::text[] IS NULL OR action = ANY($10))
  AND ($11::uuid[] IS NULL OR callout_id = ANY($11))
ORDER BY record_id DESC, sequence_number DESC LIMIT $12
