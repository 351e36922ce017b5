-- Claims all pending events of the records that the given events are about, oldest first of each record. The first event
-- of each tenant and entity has the webhooks that are to be judged, with the versions of the webhooks. Not SKIP LOCKED: an
-- event must wait until an older event of its record that was claimed elsewhere is matched. Locked in the order of the
-- records: two claims wait for each other and never deadlock.
--
-- Claimed events are read until $5 characters are reached. First come the events of which the fewest characters are to be
-- read, together with earlier events of the record: so the order of a record is kept, and long events do not delay short
-- events. Events beyond the limit are locked, too, but stay pending.
--
-- Events are read between two bounds, so that PostgreSQL prepares to read a few partitions; for an id alone PostgreSQL
-- prepares all partitions, each time. Of claimed events beyond the bounds only the ids are returned.
--
-- $1 uuid[]  events
-- $2 bigint  how many at most
-- $3 uuid    the lowest id that is read
-- $4 uuid    the id from which on none is read
-- $5 bigint  how many characters of values at most, but for the last event
--
-- locks: pending_events
-- indexes: events_pkey, pending_events_pkey, pending_events_tenant_id_entity_type_record_id_record_versi_idx,
--   webhooks_matching
WITH named AS (
  SELECT DISTINCT p.tenant_id, p.entity_type, p.record_id
  FROM unnest($1::uuid[]) AS n (event_id), LATERAL (
    SELECT tenant_id, entity_type, record_id FROM pending_events WHERE event_id = n.event_id OFFSET 0
  ) AS p
), wanted AS (
  SELECT p.event_id FROM named, LATERAL (
    SELECT event_id, record_version FROM pending_events
    WHERE (tenant_id, entity_type, record_id) = (named.tenant_id, named.entity_type, named.record_id)
    ORDER BY record_version LIMIT $2
  ) AS p
  ORDER BY named.tenant_id, named.entity_type, named.record_id, p.record_version LIMIT $2
), locked AS (
  SELECT p.event_id FROM wanted, LATERAL (
    SELECT event_id FROM pending_events WHERE event_id = wanted.event_id FOR UPDATE
  ) AS p
), found AS (
  SELECT locked.event_id, e.*,
    sum(e.characters) OVER (PARTITION BY e.tenant_id, e.entity_type, e.record_id ORDER BY e.record_version) AS of_record
  FROM locked LEFT JOIN LATERAL (
    SELECT * FROM events WHERE id = locked.event_id AND id >= $3 AND id < $4 OFFSET 0
  ) AS e ON true
), counted AS (
  SELECT *, sum(characters) OVER (ORDER BY of_record, record_version, event_id) - characters AS before FROM found
)
SELECT e.event_id AS id, e.event_key AS "eventKey", e.tenant_id AS "tenantId", e.entity_type AS "entityType",
  e.record_id AS "recordId", e.record_version AS "recordVersion", e.action, e.person_id AS "personId",
  e.event_time AS "eventTime", e.accepted_at AS "acceptedAt", e.trace_parent AS "traceParent",
  e.changed_fields AS "changedFields", e.changed_udfs AS "changedUdfs", e.previous AS "storedPrevious",
  e.fields, e.udf_fields AS "udfFields",
  CASE WHEN row_number() OVER (
    PARTITION BY e.tenant_id, e.entity_type ORDER BY e.record_id, e.record_version
  ) = 1 THEN (
    SELECT json_agg(json_build_array(w.key, w.version) ORDER BY w.key) FROM webhooks w
    WHERE w.tenant_id = e.tenant_id AND w.entity_type = e.entity_type AND w.deleted_at IS NULL
  ) END AS webhooks
FROM counted AS e
WHERE e.tenant_id IS NULL OR e.before < $5
ORDER BY e.tenant_id, e.entity_type, e.record_id, e.record_version
