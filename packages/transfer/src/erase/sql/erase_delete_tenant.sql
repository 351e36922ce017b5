-- Deletes the row of a tenant, after everything else.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
DELETE FROM tenants WHERE id = $1
