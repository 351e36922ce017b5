-- Stores the progress of counting deliveries.
--
-- $1 timestamptz  minutes that get no more attempts
-- $2 timestamptz  hours that are counted
-- $3 timestamptz  minutes that were counted at least once
--
-- locks: none (one process counts at a time)
-- indexes: none
INSERT INTO statistics_progress (name, minutes_until, hours_until, seen_until) VALUES ('deliveries', $1, $2, $3)
ON CONFLICT (name) DO UPDATE SET minutes_until = EXCLUDED.minutes_until, hours_until = EXCLUDED.hours_until,
  seen_until = EXCLUDED.seen_until
