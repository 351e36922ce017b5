-- Finds a callout of a webhook by its id.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   id of the webhook in its entity
-- $4 uuid  callout
--
-- locks: none
-- indexes: callouts_pkey
SELECT c.id, c.kind, c.webhook_key AS "webhookKey", c.record_id AS "recordId", c.sequence_number AS "sequenceNumber"
FROM (SELECT * FROM callouts WHERE id = $4 OFFSET 0) AS c, LATERAL (
  SELECT FROM webhooks
  WHERE key = c.webhook_key AND (tenant_id, entity_type, id) = ($1, $2, $3) AND deleted_at IS NULL OFFSET 0
) AS w
