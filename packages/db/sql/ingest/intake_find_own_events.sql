-- Finds events whose own ids are sent as eventIDs: those that were posted without one.
--
-- $1 int[]   tenants
-- $2 uuid[]  ids
--
-- locks: none
-- indexes: none
SELECT e.* FROM unnest($1::int[], $2::uuid[]) AS k (tenant_id, id), LATERAL (
  SELECT tenant_id AS "tenantId", id, entity_type AS "entityType", record_id AS "recordId", action,
    person_id AS "personId", event_time AS "eventTime", changed_fields AS "changedFields",
    changed_udfs AS "changedUdfs", fields, udf_fields AS "udfFields"
  FROM events WHERE id = k.id AND tenant_id = k.tenant_id AND event_key IS NULL OFFSET 0
) AS e
