-- Locks the webhooks of a tenant.
--
-- $1 int  tenant
--
-- locks: webhooks
-- indexes: webhooks_tenant_id_entity_type_id_key
SELECT FROM webhooks WHERE tenant_id = $1 ORDER BY key FOR NO KEY UPDATE
