-- Finds a tenant by name.
--
-- $1 text  name
--
-- locks: none
-- indexes: tenants_name_key
SELECT FROM tenants WHERE name = $1
