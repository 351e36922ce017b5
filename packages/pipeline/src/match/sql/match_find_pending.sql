-- Returns which of these events are pending.
--
-- $1 uuid[]  events
--
-- locks: none
-- indexes: pending_events_pkey
SELECT event_id AS "eventId" FROM pending_events WHERE event_id = ANY($1::uuid[])
