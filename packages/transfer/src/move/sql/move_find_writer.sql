-- Finds a transaction that began before a moment and may write: with a row written or locked, or with a statement that
-- will.
--
-- $1 timestamptz  the moment
--
-- locks: none
-- indexes: none
SELECT coalesce(nullif(application_name, ''), 'a client') || ' (pid ' || pid || ')' AS name FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND xact_start < $1
  AND (backend_xid IS NOT NULL OR state = 'active' AND query_start < $1 AND application_name <> 'pg_dump') LIMIT 1
