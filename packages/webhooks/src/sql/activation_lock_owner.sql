-- Locks the owner of a webhook. Owners never change, so the owner is read without the lock on the webhook, which comes
-- later.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   number of the webhook
--
-- locks: resources
-- indexes: resources_pkey, webhooks_tenant_id_entity_type_id_key
SELECT r.is_active AS "isActive" FROM resources r
WHERE r.deleted_at IS NULL AND (r.tenant_id, r.id) = (
  SELECT tenant_id, owner_resource_id FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3)
) FOR SHARE
