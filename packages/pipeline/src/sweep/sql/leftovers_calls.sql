-- Deletes calls of workers that died: another worker has made the call, with a row of another lease, or the callout
-- was cancelled.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: none
DELETE FROM limited_calls WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM limited_calls WHERE lease_until < now() - interval '1 hour' LIMIT $1))
RETURNING 1
