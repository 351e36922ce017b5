-- Reads bodies of callouts, or what bodies are made from: the event, and the layout, which the first callout of each webhook
-- and layout has. With the bounds PostgreSQL looks into the partitions concerned only.
--
-- In their order, no more callouts are read than have so many characters together, and one more. Of the rest
-- `isLeft` alone is returned. A short body may be made from a long event, so the characters of the event count.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest id
-- $3 uuid    the highest
-- $4 uuid    the lowest id that an event may have
-- $5 uuid    the highest
-- $6 bigint  how many characters at most, but for the last callout
--
-- locks: none
-- indexes: callout_bodies_pkey, callouts_pkey, events_pkey, payload_layouts_pkey, webhooks_pkey
WITH found AS (
  SELECT n.nth, c.id, c.sequence_number, c.entity_type, c.record_id, c.action, c.webhook_key, c.layout_id, b.body,
    e.event_time, e.person_id, e.changed_fields, e.changed_udfs, e.previous, e.fields, e.udf_fields,
    sum(coalesce(b.length, e.characters, 0)) OVER (ORDER BY n.nth) - coalesce(b.length, e.characters, 0) >= $6 AS is_left
  FROM unnest($1::uuid[]) WITH ORDINALITY AS n (id, nth), LATERAL (
    SELECT * FROM callouts WHERE id = n.id AND id BETWEEN $2 AND $3 OFFSET 0
  ) AS c LEFT JOIN LATERAL (
    SELECT body, octet_length(body) AS length FROM callout_bodies
    WHERE c.layout_id IS NULL AND callout_id = c.id AND callout_id BETWEEN $2 AND $3 OFFSET 0
  ) AS b ON true LEFT JOIN LATERAL (
    SELECT * FROM events WHERE c.layout_id IS NOT NULL AND id = c.event_id AND id BETWEEN $4 AND $5 OFFSET 0
  ) AS e ON true
)
SELECT f.id, f.sequence_number AS "sequenceNumber", f.entity_type AS "entityType", f.record_id AS "recordId", f.action,
  f.webhook_key AS "webhookKey", f.layout_id::text AS "layoutId", w.guid AS "webhookGuid", f.event_time AS "eventTime",
  f.person_id AS "personId", f.changed_fields AS "changedFields", f.changed_udfs AS "changedUdfs", f.is_left AS "isLeft",
  CASE WHEN NOT f.is_left THEN f.body END AS body, CASE WHEN NOT f.is_left THEN f.previous END AS previous,
  CASE WHEN NOT f.is_left THEN f.fields END AS fields, CASE WHEN NOT f.is_left THEN f.udf_fields END AS "udfFields",
  CASE WHEN row_number() OVER (PARTITION BY f.webhook_key, f.layout_id ORDER BY f.nth) = 1 THEN (
    SELECT layout FROM payload_layouts WHERE (webhook_key, id) = (f.webhook_key, f.layout_id)
  ) END AS layout
FROM found AS f, LATERAL (SELECT guid FROM webhooks WHERE key = f.webhook_key OFFSET 0) AS w
