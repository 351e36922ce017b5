-- Reads the version of the configuration of a webhook.
--
-- $1 bigint  key of the webhook
--
-- locks: none
-- indexes: webhooks_pkey
SELECT version FROM webhooks WHERE key = $1
