-- Stores that a tenant is about to leave.
--
-- $1 uuid  move
-- $2 int   tenant
-- $3 text  name of the zone
--
-- locks: none
-- indexes: none
INSERT INTO tenant_moves (id, tenant_id, direction, zone_name) VALUES ($1, $2, 'out', $3)
