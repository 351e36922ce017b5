-- Finds webhooks whose receiver has recovered.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: recovered_webhooks_pkey
SELECT webhook_key AS "webhookKey", recovered_at::text AS "recoveredAt" FROM recovered_webhooks
ORDER BY webhook_key LIMIT $1
