-- Deletes pauses of webhooks from the changes. Ids rise with time, and pauses have an index: all further changes
-- are kept for longer.
--
-- $1 bigint       how many at most
-- $2 timestamptz  pauses before are deleted
-- $3 uuid         the lowest id of a change that may be later
--
-- locks: none
-- indexes: changes_pauses
DELETE FROM changes WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM changes WHERE action IN ('paused', 'resumed') AND at < $2 AND id < $3 LIMIT $1))
RETURNING 1
