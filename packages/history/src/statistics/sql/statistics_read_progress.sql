-- Reads until when all minutes were counted at least once.
--
-- locks: none
-- indexes: statistics_progress_pkey
SELECT seen_until AS until FROM statistics_progress WHERE name = 'deliveries'
