-- Ends the webhooks of a tenant: match and redelivery add nothing more.
--
-- $1 int  tenant
--
-- locks: webhooks
-- indexes: webhooks_tenant_id_entity_type_id_key
UPDATE webhooks SET is_active = false, is_cancelling = false, deleted_at = coalesce(deleted_at, now()),
version = version + 1 WHERE tenant_id = $1 AND (is_active OR deleted_at IS NULL OR is_cancelling)
