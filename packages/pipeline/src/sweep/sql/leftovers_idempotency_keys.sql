-- Deletes keys older than 24 hours, which count as absent anyway. A row that a request is reusing at the moment is
-- locked, and skipped.
--
-- $1 bigint  how many at most
--
-- locks: idempotency_keys (skip locked)
-- indexes: idempotency_keys_created_at_idx
DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM idempotency_keys WHERE created_at <= now() - interval '24 hours' LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING 1
