-- Reads the settings of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
SELECT callout_threshold AS a, api_requests_per_hour AS b, created_at AS c
FROM tenants WHERE id = $1
