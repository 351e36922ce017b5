-- Locks and reads the health of receivers, in order of the key.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
SELECT webhook_key AS "webhookKey", failed_in_row AS "failedInRow", down_in_row AS "downInRow",
  failing_since AS "failingSince", last_failure AS "lastFailure", paused_until AS "pausedUntil", pauses,
  probe_lease AS "probeLease", probe_at AS "probeAt", refused_number AS "refusedNumber",
  is_reported AS "isReported", clock_timestamp() AS now
FROM webhook_health WHERE webhook_key = ANY($1::bigint[]) ORDER BY webhook_key FOR UPDATE
