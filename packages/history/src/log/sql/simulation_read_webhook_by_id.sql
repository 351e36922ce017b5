-- Reads a webhook for a simulation, by number, with the clock that orders events and activations.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   number of the webhook
--
-- locks: none
-- indexes: none
SELECT key, name, webhook_url AS "webhookUrl", last_sequence + 1 AS "nextSequenceNumber",
  request_headers AS "requestHeaders", receiver_auth AS "receiverAuth", signature_kind AS "signatureKind",
  clock_timestamp() AS now
FROM webhooks WHERE tenant_id = $1 AND entity_type = $2 AND id = $3 AND deleted_at IS NULL
