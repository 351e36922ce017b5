-- Marks the copy of a tenant for deletion, in the database where the tenant would have gone.
--
-- $1 uuid  move
--
-- locks: none
-- indexes: tenant_moves_pkey, tenants_pkey
UPDATE tenants SET deleting_at = now() WHERE deleting_at IS NULL AND id = (
  SELECT tenant_id FROM tenant_moves WHERE id = $1 AND direction = 'in')
