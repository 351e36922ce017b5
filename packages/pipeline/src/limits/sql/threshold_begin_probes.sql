-- Makes the released callouts of paused webhooks the probes of their receivers.
--
-- $1 bigint[]          keys of the webhooks
-- $2 uuid              the name of the lease
-- $3 double precision  how long it lasts, in ms
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
UPDATE webhook_health SET probe_lease = $2, paused_until = now() + $3 * interval '1 millisecond'
WHERE webhook_key = ANY(ARRAY(
  SELECT webhook_key FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) AND pauses > 0
  ORDER BY webhook_key FOR UPDATE))
