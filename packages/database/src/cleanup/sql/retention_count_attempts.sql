-- Counts the open callouts of earlier days that have an attempt of a day.
--
-- $1 uuid  lowest id of the day
-- $2 uuid  lowest id of the next day
--
-- locks: none
-- indexes: open_callouts_pkey
SELECT count(*)::int AS count FROM open_callouts o WHERE o.callout_id < $1 AND o.attempts_made > 0 AND EXISTS (
  SELECT FROM attempts a WHERE a.callout_id = o.callout_id AND a.id >= $1 AND a.id < $2)
