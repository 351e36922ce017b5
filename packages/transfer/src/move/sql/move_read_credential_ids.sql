-- Reads the ids of the credentials of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: none
SELECT id::text AS key FROM credentials WHERE tenant_id = $1 ORDER BY id
