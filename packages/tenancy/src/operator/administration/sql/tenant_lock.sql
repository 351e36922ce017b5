-- Locks a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
SELECT now() AS now FROM tenants WHERE id = $1 FOR NO KEY UPDATE
