-- Reads the ids of the error logs of a tenant.
--
-- $1 int     tenant
-- $2 bigint  the last id that was read
-- $3 bigint  most ids
--
-- locks: none
-- indexes: webhook_event_error_logs_tenant_id_id_idx
SELECT l.id::text FROM webhook_event_error_logs l WHERE l.tenant_id = $1 AND l.id > $2 ORDER BY l.id LIMIT $3
