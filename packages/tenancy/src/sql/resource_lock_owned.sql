-- Locks the active webhooks of an owner.
--
-- $1 int  tenant
-- $2 int  resource
--
-- locks: webhooks
-- indexes: webhooks_matching
SELECT key FROM webhooks WHERE tenant_id = $1 AND owner_resource_id = $2 AND is_active AND deleted_at IS NULL
ORDER BY key FOR NO KEY UPDATE
