-- Deletes old hours of the statistics.
--
-- $1 timestamptz  hours before are deleted
-- $2 bigint       how many at most
--
-- locks: none (one process counts at a time)
-- indexes: delivery_hours_hour_idx
DELETE FROM delivery_hours WHERE (webhook_key, hour) IN (
  SELECT webhook_key, hour FROM delivery_hours WHERE hour < $1 LIMIT $2)
RETURNING 1
