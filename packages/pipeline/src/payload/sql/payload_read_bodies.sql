-- Reads bodies of callouts, or what they are made from: the event, and the layout, which the first callout of each webhook
-- and layout has. With the bounds PostgreSQL looks into the partitions concerned only.
--
-- $1 uuid[]  callouts
-- $2 uuid    the lowest of them
-- $3 uuid    the highest
-- $4 uuid    the lowest id that an event of theirs may have
-- $5 uuid    the highest
--
-- locks: none
-- indexes: callout_bodies_pkey, callouts_pkey, events_pkey, payload_layouts_pkey, webhooks_pkey
SELECT c.id, c.sequence_number AS "sequenceNumber", c.entity_type AS "entityType", c.record_id AS "recordId", c.action,
  c.webhook_key AS "webhookKey", c.layout_id::text AS "layoutId", b.body, w.guid AS "webhookGuid",
  e.event_time AS "eventTime", e.person_id AS "personId", e.changed_fields AS "changedFields",
  e.changed_udfs AS "changedUdfs", e.previous, e.fields, e.udf_fields AS "udfFields",
  CASE WHEN row_number() OVER (PARTITION BY c.webhook_key, c.layout_id) = 1 THEN (
    SELECT layout FROM payload_layouts WHERE (webhook_key, id) = (c.webhook_key, c.layout_id)
  ) END AS layout
FROM unnest($1::uuid[]) AS n (id), LATERAL (
  SELECT * FROM callouts WHERE id = n.id AND id BETWEEN $2 AND $3 OFFSET 0
) AS c LEFT JOIN LATERAL (
  SELECT body FROM callout_bodies WHERE c.layout_id IS NULL AND callout_id = c.id AND callout_id BETWEEN $2 AND $3 OFFSET 0
) AS b ON true LEFT JOIN LATERAL (
  SELECT * FROM events WHERE c.layout_id IS NOT NULL AND id = c.event_id AND id BETWEEN $4 AND $5 OFFSET 0
) AS e ON true,
LATERAL (SELECT guid FROM webhooks WHERE key = c.webhook_key OFFSET 0) AS w
