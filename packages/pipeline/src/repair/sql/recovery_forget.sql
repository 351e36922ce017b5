-- Forgets that a receiver has recovered. A webhook that has recovered once more meanwhile is processed in the next
-- round.
--
-- $1 bigint       key of the webhook
-- $2 timestamptz  when the receiver recovered, as the time was read
--
-- locks: none (recovered_webhooks is locked by nothing else)
-- indexes: recovered_webhooks_pkey
DELETE FROM recovered_webhooks WHERE webhook_key = $1 AND recovered_at = $2::timestamptz
