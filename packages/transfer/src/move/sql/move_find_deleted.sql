-- Finds a tenant under deletion.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_deleting
SELECT FROM tenants WHERE id = $1 AND deleting_at IS NOT NULL
