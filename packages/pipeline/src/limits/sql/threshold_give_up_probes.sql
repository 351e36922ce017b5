-- Lets another call be the probe of a paused receiver, when the callout of the probe is held.
--
-- $1 bigint[]  keys of the webhooks
-- $2 uuid[]    leases of the calls that are held
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
UPDATE webhook_health SET probe_lease = NULL, paused_until = now()
WHERE webhook_key = ANY(ARRAY(
  SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) AND probe_lease = ANY($2::uuid[])
  ORDER BY webhook_key FOR UPDATE))
