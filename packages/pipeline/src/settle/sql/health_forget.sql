-- Removes the health of receivers that have recovered.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none (health_lock has them)
-- indexes: webhook_health_pkey
DELETE FROM webhook_health WHERE webhook_key = ANY($1::bigint[])
