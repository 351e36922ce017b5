-- Reads the processes of the last day.
--
-- $1 double precision  silence after which a process counts as gone, in ms
--
-- locks: none
-- indexes: none
SELECT id, service, version, host, pid, started_at AS "startedAt", seen_at AS "seenAt", is_ready AS "isReady",
  seen_at < now() - $1 * interval '1 millisecond' AS "isGone", facts
FROM processes WHERE seen_at >= now() - interval '1 day' ORDER BY service, host, started_at, id
