-- Serves a tenant again, unless the tenant has left.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
UPDATE tenants SET state = 'active' WHERE id = $1 AND state = 'moving'
