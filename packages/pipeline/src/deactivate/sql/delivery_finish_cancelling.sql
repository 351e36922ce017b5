-- Marks a webhook as cancelled completely: none of its callouts is left.
--
-- $1 bigint  key of the webhook
--
-- locks: none (delivery_lock_cancelling has it)
-- indexes: webhooks_pkey
UPDATE webhooks SET is_cancelling = false WHERE key = $1
