-- Deletes mails that are over.
--
-- $1 bigint       how many at most
-- $2 timestamptz  mails before are deleted
--
-- locks: none
-- indexes: notifications_state_due_at_idx
DELETE FROM notifications WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM notifications WHERE state IN ('sent', 'refused', 'failed', 'covered') AND due_at < $2 AND created_at < $2
  LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING 1
