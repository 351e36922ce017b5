-- Ends the probe of a paused receiver that was not asked after all: another may be made after the same wait.
--
-- $1 bigint            key of the webhook
-- $2 uuid              the lease of the probe
-- $3 double precision  the wait, in ms
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
UPDATE webhook_health SET probe_lease = NULL, paused_until = now() + $3 * interval '1 millisecond'
WHERE webhook_key = $1 AND probe_lease = $2
