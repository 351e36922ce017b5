-- Finds transactions for whose locks other sessions have waited. A waiting session may wait for another waiting
-- session: the last session of the chain is the reason.
--
-- $1 int  shortest wait that counts, in ms
--
-- locks: none
-- indexes: none
WITH RECURSIVE waits AS MATERIALIZED (
  SELECT w.pid, extract(epoch FROM clock_timestamp() - w.query_start) * 1000 AS waited_ms, blocker.pid AS for_pid
  FROM pg_stat_activity w, unnest(pg_blocking_pids(w.pid)) AS blocker (pid)
  WHERE w.datname = current_database() AND w.wait_event_type = 'Lock'
), chain (pid, waited_ms, for_pid) AS (
  SELECT pid, waited_ms, for_pid FROM waits WHERE waited_ms >= $1::int
  UNION SELECT chain.pid, chain.waited_ms, waits.for_pid FROM chain JOIN waits ON waits.pid = chain.for_pid
)
SELECT b.pid, coalesce(b.application_name, '') AS program, host(b.client_addr) AS host,
  count(DISTINCT chain.pid) AS waiting, max(chain.waited_ms)::float8 AS "waitedMs"
FROM chain JOIN pg_stat_activity b ON b.pid = chain.for_pid
WHERE b.wait_event_type IS DISTINCT FROM 'Lock'
GROUP BY b.pid, b.application_name, b.client_addr ORDER BY "waitedMs" DESC
