-- Deletes counts that have expired, the oldest first.
--
-- $1 bigint  most rows to delete
--
-- locks: none
-- indexes: sign_in_failures_expires_at_idx
DELETE FROM sign_in_failures WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM sign_in_failures WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))
