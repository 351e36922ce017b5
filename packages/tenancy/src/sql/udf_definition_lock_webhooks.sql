-- Locks the webhooks that use a definition, in a condition or as a field.
--
-- $1 int   tenant
-- $2 int   definition
-- $3 bool  whether only webhooks count whose callouts show labels of list values
-- $4 text  entity type
-- $5 text  text of the definition in a condition
--
-- locks: webhooks
-- indexes: webhook_udf_fields_tenant_id_udf_field_id_idx, webhooks_tenant_id_entity_type_id_key
SELECT w.key, w.condition, now() AS now FROM webhooks w
WHERE w.tenant_id = $1 AND (w.entity_type = $4 AND strpos(w.condition, $5) > 0
  OR w.key IN (SELECT u.webhook_key FROM webhook_udf_fields u WHERE (u.tenant_id, u.udf_field_id) = ($1, $2))
    AND (NOT $3 OR w.payload_format <> 'reference'))
ORDER BY w.key FOR NO KEY UPDATE OF w
