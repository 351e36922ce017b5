-- Counts due callouts that no worker is sending.
--
-- $1 bigint  the highest number that is counted
--
-- locks: none
-- indexes: none
SELECT count(*) FROM (
  SELECT FROM open_callouts WHERE state = 'due' AND due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
  LIMIT $1
) AS o
