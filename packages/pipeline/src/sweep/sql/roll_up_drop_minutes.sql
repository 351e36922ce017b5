-- Deletes old minutes of the statistics.
--
-- $1 timestamptz  minutes before are deleted
-- $2 bigint       how many at most
--
-- locks: none (one process counts at a time)
-- indexes: delivery_minutes_minute_idx
DELETE FROM delivery_minutes WHERE (webhook_key, minute) IN (
  SELECT webhook_key, minute FROM delivery_minutes WHERE minute < $1 LIMIT $2)
RETURNING 1
