-- Finds pending events whose job must have been lost, oldest first, and moves their next time: from 10 s to 5 minutes.
--
-- $1 bigint  how many at most
--
-- locks: pending_events (skip locked)
-- indexes: pending_events_pkey, pending_events_enqueue_at_idx
WITH late AS (
  SELECT event_id FROM pending_events WHERE enqueue_at <= now() ORDER BY enqueue_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE pending_events p
SET enqueue_count = p.enqueue_count + 1, enqueue_at = now() + least(5 * 2 ^ least(p.enqueue_count + 1, 10), 300) * interval '1 second'
FROM late WHERE p.event_id = late.event_id
RETURNING p.event_id
