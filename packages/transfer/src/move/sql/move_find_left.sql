-- Finds a tenant that has left.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
SELECT FROM tenants WHERE id = $1 AND state = 'left'
