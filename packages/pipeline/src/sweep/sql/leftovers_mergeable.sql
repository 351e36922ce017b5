-- Deletes what callouts carry that were cancelled before the first attempt. By position: a row that a match writes
-- at the moment has another position.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: open_callouts_pkey
DELETE FROM mergeable_callouts WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM mergeable_callouts m WHERE NOT EXISTS (SELECT FROM open_callouts WHERE callout_id = m.callout_id)
  LIMIT $1))
RETURNING 1
