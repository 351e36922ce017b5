-- Removes the health of the receivers of webhooks that become inactive. In order of the key.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhook_health (unless held)
-- indexes: webhook_health_pkey
WITH locked AS (
  SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) ORDER BY webhook_key FOR UPDATE
)
DELETE FROM webhook_health h USING locked WHERE h.webhook_key = locked.webhook_key
RETURNING h.webhook_key AS "webhookKey", h.failed_in_row AS "failedInRow",
  h.failing_since AS "failingSince", h.last_failure AS "lastFailure"
