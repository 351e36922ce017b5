-- Reads the GUIDs of the webhooks of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: webhooks_tenant_id_entity_type_id_key
SELECT guid FROM webhooks WHERE tenant_id = $1
