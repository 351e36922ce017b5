-- Locks webhooks whose callouts fail; deleted ones too, for their last call. In order of the key.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhooks (no key update)
-- indexes: webhooks_pkey
SELECT key AS "webhookKey", is_active AS "isActive" FROM webhooks WHERE key = ANY($1::bigint[])
ORDER BY key FOR NO KEY UPDATE
