-- Forgets the zone that has served the users of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: credentials_tenant_id_resource_id_idx, zone_users_pkey
DELETE FROM zone_users WHERE user_name_folded = ANY(ARRAY(
  SELECT user_name_folded FROM credentials WHERE tenant_id = $1))
