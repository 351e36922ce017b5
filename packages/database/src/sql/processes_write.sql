-- Stores that a process is alive.
--
-- $1 uuid         id of the process
-- $2 text         service
-- $3 text         version
-- $4 text         host
-- $5 int          process id of the operating system
-- $6 timestamptz  start
-- $7 bool         whether the process is ready
-- $8 json         facts for operators
--
-- locks: none
-- indexes: none
INSERT INTO processes (id, service, version, host, pid, started_at, is_ready, facts)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (id) DO UPDATE SET seen_at = now(), is_ready = excluded.is_ready, facts = excluded.facts
RETURNING id
