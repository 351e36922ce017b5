-- Removes the children of deleted webhooks.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none (the caller has the webhooks)
-- indexes: webhook_excluded_resources_webhook_key_resource_id_key, webhook_fields_webhook_key_field_id_key,
--   webhook_udf_fields_webhook_key_udf_field_id_key
WITH fields AS (DELETE FROM webhook_fields WHERE webhook_key = ANY($1::bigint[])),
  udfs AS (DELETE FROM webhook_udf_fields WHERE webhook_key = ANY($1::bigint[]))
DELETE FROM webhook_excluded_resources WHERE webhook_key = ANY($1::bigint[])
