-- Marks a tenant as served by another zone.
--
-- $1 int   tenant
-- $2 text  name of the zone
--
-- locks: none
-- indexes: tenants_pkey, zones_name_key
UPDATE tenants SET state = 'left', zone_id = (SELECT id FROM zones WHERE name = $2)
WHERE id = $1 AND state = 'moving' AND deleting_at IS NULL RETURNING id
