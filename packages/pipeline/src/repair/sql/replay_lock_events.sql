-- Locks the verdicts of events, and reads the events.
--
-- $1 uuid[]  events
-- $2 uuid    the lowest id
-- $3 uuid    the highest id
--
-- locks: event_matches
-- indexes: event_matches_pkey, events_pkey
WITH locked AS MATERIALIZED (
  SELECT event_id, verdicts FROM event_matches WHERE event_id = ANY($1::uuid[]) AND event_id BETWEEN $2 AND $3
  ORDER BY event_id FOR NO KEY UPDATE
)
SELECT e.id, e.event_key AS "eventKey", e.tenant_id AS "tenantId", e.entity_type AS "entityType",
  e.record_id AS "recordId", e.record_version AS "recordVersion", e.action, e.person_id AS "personId",
  e.event_time AS "eventTime", e.accepted_at AS "acceptedAt", e.trace_parent AS "traceParent",
  e.changed_fields AS "changedFields", e.changed_udfs AS "changedUdfs", e.previous AS "storedPrevious",
  e.fields, e.udf_fields AS "udfFields", locked.verdicts
FROM locked, LATERAL (SELECT * FROM events WHERE id = locked.event_id AND id BETWEEN $2 AND $3 OFFSET 0) AS e
