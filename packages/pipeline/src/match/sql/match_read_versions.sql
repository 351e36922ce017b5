-- Reads the webhooks of a tenant and entity, with the versions of their configurations.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none
-- indexes: webhooks_matching
SELECT coalesce(json_agg(json_build_array(key, version) ORDER BY key), '[]') AS webhooks FROM webhooks
WHERE tenant_id = $1 AND entity_type = $2 AND deleted_at IS NULL
