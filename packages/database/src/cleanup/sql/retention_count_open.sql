-- Counts the open callouts of a day.
--
-- $1 uuid  lowest id of the day
-- $2 uuid  lowest id of the next day
--
-- locks: none
-- indexes: open_callouts_pkey
SELECT count(*)::int AS count FROM open_callouts WHERE callout_id >= $1 AND callout_id < $2
