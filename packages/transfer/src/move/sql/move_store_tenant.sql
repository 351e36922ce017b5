-- Stores a tenant that is about to arrive.
--
-- $1 text  name of the tenant
-- $2 text  name of the zone
--
-- locks: none
-- indexes: zones_name_key
INSERT INTO tenants (name, zone_id, state) SELECT $1, id, 'arriving' FROM zones WHERE name = $2 RETURNING id
