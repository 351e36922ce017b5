-- Locks a resource.
--
-- $1 int  tenant
-- $2 int  resource
--
-- locks: resources
-- indexes: resources_pkey
SELECT now() AS now FROM resources WHERE (tenant_id, id) = ($1, $2) AND deleted_at IS NULL FOR NO KEY UPDATE
