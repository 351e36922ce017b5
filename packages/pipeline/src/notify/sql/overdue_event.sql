-- Finds the oldest pending event.
--
-- locks: none
-- indexes: pending_events_pkey
SELECT event_id AS id FROM pending_events ORDER BY event_id LIMIT 1
