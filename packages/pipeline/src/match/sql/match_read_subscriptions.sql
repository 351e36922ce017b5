-- Reads the configurations of webhooks: actions, fields, user-defined fields, excluded resources, the condition, and what
-- their format needs: types and labels of user-defined fields, and the names in the source of CloudEvents. A condition
-- that names a user-defined field comes with all of them.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: udf_definitions_pkey, webhook_excluded_resources_webhook_key_resource_id_key,
--   webhook_fields_webhook_key_field_id_key, webhook_udf_fields_webhook_key_udf_field_id_key, webhooks_pkey
SELECT w.entity_type, w.tenant_id AS "tenantId", w.key AS "webhookKey", w.id AS "webhookId", w.guid AS "webhookGuid",
  w.version,
  w.is_active AS "isActive", w.activated_at AS "activatedAt", w.delivery_mode = 'pull' AS "isPulled",
  w.merge_while_waiting AS "mergesWhileWaiting",
  w.max_calls_per_second IS NOT NULL OR w.max_concurrent_calls IS NOT NULL AS "isLimited",
  w.is_subscribed_to_create_events AS "onCreate",
  w.is_subscribed_to_update_events AS "onUpdate", w.is_subscribed_to_delete_events AS "onDelete",
  w.condition, CASE WHEN w.condition LIKE '%"udf":true%' THEN (
    SELECT json_agg(json_build_object('id', d.id, 'name', d.name, 'label', d.label, 'dataType', d.data_type))
    FROM udf_definitions d WHERE (d.tenant_id, d.entity_type) = (w.tenant_id, w.entity_type)
  ) END AS "comparableUdfs",
  (SELECT json_agg(json_build_object('fieldID', f.field_id, 'isSubscribed', f.is_subscribed_field,
     'isDisplayAlways', f.is_display_always_field) ORDER BY f.id)
   FROM webhook_fields f WHERE f.webhook_key = w.key) AS fields,
  (SELECT json_agg(json_build_object('udfId', u.udf_field_id, 'label', d.label,
     'isSubscribed', u.is_subscribed_field, 'isDisplayAlways', u.is_display_always_field,
     'dataType', d.data_type, 'listValues', CASE WHEN w.payload_format <> 'reference' THEN d.list_values END)
     ORDER BY u.id)
   FROM webhook_udf_fields u JOIN udf_definitions d ON (d.tenant_id, d.id) = (u.tenant_id, u.udf_field_id)
   WHERE u.webhook_key = w.key) AS "udfFields",
  (SELECT array_agg(x.resource_id) FROM webhook_excluded_resources x WHERE x.webhook_key = w.key)
    AS "excludedResourceIds",
  json_build_object('format', CASE w.alert_format WHEN 'json' THEN w.payload_format ELSE w.alert_format END, 'includePreviousValues', w.include_previous_values,
    'place', CASE WHEN w.payload_format = 'cloudevents' AND w.alert_format = 'json' THEN (
      SELECT json_build_object('zoneGuid', z.guid, 'zoneName', z.name, 'zoneUrl', z.url, 'tenantName', t.name)
      FROM tenants t, LATERAL (SELECT * FROM zones WHERE id = t.zone_id OFFSET 0) AS z WHERE t.id = w.tenant_id
    ) END) AS payload
FROM webhooks w WHERE w.key = ANY($1::bigint[])
