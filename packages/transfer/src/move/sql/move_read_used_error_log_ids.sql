-- Reads which ids of error logs are used.
--
-- $1 bigint[]  ids
--
-- locks: none
-- indexes: none
SELECT id::text FROM webhook_event_error_logs WHERE id = ANY($1::bigint[])
