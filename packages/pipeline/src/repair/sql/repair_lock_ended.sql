-- Locks ended callouts that can be sent again, by their ids, like everything that updates callouts that are not
-- open: the result of an attempt that was under way when its callout was cancelled may come at this moment. The
-- event of a callout may be gone with its day; then the header has the id of the event from the log.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest id
-- $3 uuid    the highest id
-- $4 text[]  states
-- $5 uuid    the lowest id of an attempt
--
-- locks: callouts
-- indexes: attempts_callout_id_idx, callout_bodies_pkey, callouts_pkey, events_pkey
SELECT c.id, c.tenant_id AS "tenantId", c.entity_type AS "entityType", c.record_id AS "recordId", c.action,
  c.sequence_number AS "sequenceNumber",
  coalesce((SELECT e.event_key FROM events e WHERE e.id = c.event_id), c.event_id::text) AS "eventId",
  (SELECT e.trace_parent FROM events e WHERE e.id = c.event_id) AS "traceParent",
  coalesce(
    (SELECT octet_length(b.body) FROM callout_bodies b WHERE b.callout_id = c.id),
    (SELECT e.characters FROM events e WHERE e.id = c.event_id)
  ) AS "bodyBytes",
  coalesce((SELECT max(a.number) FROM attempts a WHERE a.callout_id = c.id AND a.id >= $5), 0) AS attempts
FROM callouts c
WHERE c.id = ANY($1::uuid[]) AND c.id BETWEEN $2 AND $3 AND c.kind = 'event' AND c.state = ANY($4::text[])
  AND CASE WHEN c.layout_id IS NULL THEN EXISTS (SELECT FROM callout_bodies b WHERE b.callout_id = c.id)
    ELSE EXISTS (SELECT FROM events e WHERE e.id = c.event_id) END
ORDER BY c.id FOR NO KEY UPDATE OF c
