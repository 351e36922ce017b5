-- Counts the callouts of a webhook that are handed out and not acknowledged yet, up to a limit.
--
-- $1 bigint  key of the webhook
-- $2 bigint  the limit
--
-- locks: none
-- indexes: pull_leases_open
SELECT count(*)::int AS "handedOut" FROM (
  SELECT 1 FROM pull_leases WHERE webhook_key = $1 AND outcome IS NULL LIMIT $2
) AS open
