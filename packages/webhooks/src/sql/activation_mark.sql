-- Marks a webhook as activated now. The clock of the database decides which events came before, to the microsecond,
-- whichever process accepted them.
--
-- $1 bigint  key of the webhook
--
-- locks: none
-- indexes: webhooks_pkey
UPDATE webhooks SET activated_at = now() WHERE key = $1
