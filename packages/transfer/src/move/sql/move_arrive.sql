-- Serves a tenant that has arrived.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
UPDATE tenants SET state = 'active' WHERE id = $1 AND state = 'arriving' AND deleting_at IS NULL RETURNING id
