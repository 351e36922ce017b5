-- Reads pending events in order of their acceptance, after a given one.
--
-- $1 uuid    event
-- $2 bigint  how many at most
--
-- locks: none
-- indexes: pending_events_pkey
SELECT event_id FROM pending_events WHERE event_id > $1 ORDER BY event_id LIMIT $2
