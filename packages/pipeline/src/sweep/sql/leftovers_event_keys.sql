-- Deletes keys older than 24 hours, which count as absent anyway. A row that a request is reusing at the moment is
-- locked, and skipped.
--
-- $1 bigint  how many at most
--
-- locks: event_keys (skip locked)
-- indexes: event_keys_accepted_at_idx
DELETE FROM event_keys WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM event_keys WHERE accepted_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING 1
