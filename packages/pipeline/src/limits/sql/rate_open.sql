-- Creates the rates of webhooks that have limits of their own since a moment ago. Their first call may begin at once.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhook_rates
-- indexes: none
INSERT INTO webhook_rates (webhook_key) SELECT key FROM unnest($1::bigint[]) AS key ORDER BY key ON CONFLICT DO NOTHING
