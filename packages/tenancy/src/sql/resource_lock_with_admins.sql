-- Locks a resource together with all administrators of the tenant.
--
-- $1 int  tenant
-- $2 int  resource
--
-- locks: resources
-- indexes: resources_pkey
SELECT id, is_active AND EXISTS (
  SELECT FROM credentials c WHERE (c.tenant_id, c.resource_id) = (r.tenant_id, r.id)
    AND c.role = 'admin' AND c.revoked_at IS NULL) AS "isAdmin"
FROM resources r WHERE tenant_id = $1 AND deleted_at IS NULL AND (id = $2 OR is_active AND EXISTS (
  SELECT FROM credentials c WHERE (c.tenant_id, c.resource_id) = (r.tenant_id, r.id)
    AND c.role = 'admin' AND c.revoked_at IS NULL))
ORDER BY id FOR NO KEY UPDATE
