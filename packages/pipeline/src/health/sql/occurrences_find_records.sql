-- Finds the records of `WebhookHealth` that webhooks have.
--
-- $1 int[]   tenants
-- $2 text[]  GUIDs of webhooks
--
-- locks: none
-- indexes: records_pkey
SELECT r.tenant_id AS "tenantId", r.fields ->> 'webhookGUID' AS guid, r.id FROM records r
WHERE r.tenant_id = ANY($1::int[]) AND r.entity_type = 'WebhookHealth'
  AND r.fields ->> 'webhookGUID' = ANY($2::text[])
