-- Locks a webhook by the number that users know.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   number of the webhook
--
-- locks: webhooks
-- indexes: tenants_pkey
SELECT key, guid, is_active AS "isActive", now() AS now,
  (SELECT state FROM tenants WHERE id = tenant_id) = 'active' AS "isServed"
FROM webhooks WHERE (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL FOR NO KEY UPDATE
