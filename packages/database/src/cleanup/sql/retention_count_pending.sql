-- Counts the pending events of a day.
--
-- $1 uuid  lowest id of the day
-- $2 uuid  lowest id of the next day
--
-- locks: none
-- indexes: pending_events_pkey
SELECT count(*)::int AS count FROM pending_events WHERE event_id >= $1 AND event_id < $2
