-- Finds events whose own ids are sent as eventIDs: those that were posted without one. They are looked up by the id
-- alone and judged afterwards: as long as a partition is empty, an index that begins with the tenant looks as good to the
-- planner, and with that one each lookup would read all events that the tenant has sent since.
--
-- $1 int[]   tenants
-- $2 uuid[]  ids
--
-- locks: none
-- indexes: events_pkey
SELECT e.tenant_id AS "tenantId", e.id, e.entity_type AS "entityType", e.record_id AS "recordId", e.action,
  e.person_id AS "personId", e.event_time AS "eventTime", e.changed_fields AS "changedFields",
  e.changed_udfs AS "changedUdfs", e.fields, e.udf_fields AS "udfFields"
FROM unnest($1::int[], $2::uuid[]) AS k (tenant_id, id), LATERAL (
  SELECT * FROM events WHERE id = k.id OFFSET 0
) AS e WHERE e.tenant_id = k.tenant_id AND e.event_key IS NULL
