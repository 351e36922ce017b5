-- Reads what a claim needs to know of a webhook: how many callouts are handed out and not acknowledged yet, up to a limit,
-- and between which ids its due callouts are, also those of which the next attempt is still to come. Numbers rise with
-- ids, so the first and the last are looked up by their numbers; tests and deactivation calls, which are few, by their ids.
-- `state || ''`: see README.md.
--
-- $1 bigint  key of the webhook
-- $2 bigint  the limit
--
-- locks: none
-- indexes: open_callouts_by_number, open_callouts_calls, pull_leases_open
WITH calls AS MATERIALIZED (
  SELECT callout_id FROM open_callouts
  WHERE webhook_key = $1 AND record_id <= 0 AND kind <> 'event' AND state || '' = 'due' ORDER BY callout_id
)
SELECT (SELECT count(*)::int FROM (
    SELECT 1 FROM pull_leases WHERE webhook_key = $1 AND outcome IS NULL LIMIT $2
  ) AS open) AS "handedOut",
  least(
    (SELECT callout_id FROM open_callouts WHERE webhook_key = $1 AND state = 'due' AND kind = 'event'
      ORDER BY sequence_number LIMIT 1),
    (SELECT callout_id FROM calls LIMIT 1)) AS "firstId",
  greatest(
    (SELECT callout_id FROM open_callouts WHERE webhook_key = $1 AND state = 'due' AND kind = 'event'
      ORDER BY sequence_number DESC LIMIT 1),
    (SELECT callout_id FROM calls ORDER BY callout_id DESC LIMIT 1)) AS "lastId"
