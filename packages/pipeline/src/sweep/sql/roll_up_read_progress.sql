-- Reads the progress of counting deliveries.
--
-- locks: none
-- indexes: statistics_progress_pkey
SELECT minutes_until AS "minutesUntil", hours_until AS "hoursUntil", seen_until AS "seenUntil"
FROM statistics_progress WHERE name = 'deliveries'
