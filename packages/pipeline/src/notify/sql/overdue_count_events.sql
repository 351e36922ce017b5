-- Counts pending events.
--
-- $1 bigint  the highest number that is counted
--
-- locks: none
-- indexes: pending_events_enqueue_at_idx
SELECT count(*) FROM (SELECT FROM pending_events LIMIT $1) AS e
