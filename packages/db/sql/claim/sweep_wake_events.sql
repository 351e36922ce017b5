-- Finds pending events whose job must have been lost, oldest first, and moves their next time: from 10 s to 5 minutes.
--
-- $1 bigint  how many at most
--
-- locks: pending_events (skip locked)
-- indexes: pending_events_pkey, pending_events_wake_at_idx
WITH late AS (
  SELECT event_id FROM pending_events WHERE wake_at <= now() ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE pending_events p
SET wakes = p.wakes + 1, wake_at = now() + least(5 * 2 ^ least(p.wakes + 1, 10), 300) * interval '1 second'
FROM late WHERE p.event_id = late.event_id
RETURNING p.event_id
