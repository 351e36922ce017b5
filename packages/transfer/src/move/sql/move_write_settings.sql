-- Writes the settings of a tenant.
--
-- $1 int          tenant
-- $2 int          threshold
-- $3 int          API requests per hour
-- $4 timestamptz  time of creation
--
-- locks: none
-- indexes: tenants_pkey
UPDATE tenants SET callout_threshold = $2, api_requests_per_hour = $3, created_at = $4
WHERE id = $1
