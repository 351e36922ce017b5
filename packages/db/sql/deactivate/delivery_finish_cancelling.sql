-- Marks a webhook as done with: nothing of it is left to be cancelled.
--
-- $1 bigint  key of the webhook
--
-- locks: none (delivery_lock_cancelling has it)
-- indexes: webhooks_pkey
UPDATE webhooks SET is_cancelling = false WHERE key = $1
