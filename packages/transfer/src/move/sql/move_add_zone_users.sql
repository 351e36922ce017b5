-- Stores which zone serves the users of a tenant now.
--
-- $1 int   tenant
-- $2 text  name of the zone
--
-- locks: none
-- indexes: credentials_tenant_id_resource_id_idx, zones_name_key
INSERT INTO zone_users (user_name_folded, zone_id)
SELECT c.user_name_folded, z.id FROM credentials c, zones z
WHERE c.tenant_id = $1 AND c.revoked_at IS NULL AND z.name = $2
ON CONFLICT (user_name_folded) DO UPDATE SET zone_id = excluded.zone_id
