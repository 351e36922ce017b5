-- Locks a webhook whose callouts are cancelled: nothing can be added meanwhile, since match and redelivery take the
-- same lock.
--
-- $1 bigint  key of the webhook
--
-- locks: webhooks (no key update)
-- indexes: none
SELECT version FROM webhooks WHERE key = $1 AND is_cancelling FOR NO KEY UPDATE
