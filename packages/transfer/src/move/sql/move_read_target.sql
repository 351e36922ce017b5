-- Reads the tenant of a move, in the database where the tenant goes.
--
-- $1 uuid  move
--
-- locks: none
-- indexes: tenants_pkey
SELECT m.tenant_id AS "tenantId", t.deleting_at AS "deletingAt" FROM tenant_moves m JOIN tenants t ON t.id = m.tenant_id
WHERE m.id = $1
