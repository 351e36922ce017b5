-- Marks a tenant as erased. From now on another tenant may have the name.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenants_pkey
UPDATE tenants SET erased_at = now(), name = 'deleted tenant ' || id, callout_threshold = NULL,
api_requests_per_hour = NULL WHERE id = $1
