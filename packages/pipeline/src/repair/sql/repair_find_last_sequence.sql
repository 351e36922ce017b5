-- Reads the last sequence number of a webhook.
--
-- $1 bigint  key of the webhook
--
-- locks: none
-- indexes: webhooks_pkey
SELECT last_sequence AS "lastSequence" FROM webhooks WHERE key = $1
