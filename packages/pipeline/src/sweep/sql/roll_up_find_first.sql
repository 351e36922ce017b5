-- Finds the first attempt to be counted.
--
-- $1 uuid  the lowest id of an attempt
--
-- locks: none
-- indexes: attempts_pkey
SELECT started_at AS "startedAt" FROM attempts WHERE id >= $1 ORDER BY id LIMIT 1
