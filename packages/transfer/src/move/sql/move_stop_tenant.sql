-- Stops everything of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
UPDATE tenants SET state = 'moving' WHERE id = $1 AND state = 'active'
