-- Counts the callouts of a webhook that failed since a time. The last attempts of failed callouts have their own
-- index. Ids of attempts come from the clocks of workers, so an extra hour is read and the times of the callouts
-- decide. Redelivered callouts are not failed any more.
--
-- $1 bigint       key of the webhook
-- $2 uuid         the lowest id of an attempt
-- $3 timestamptz  the time
-- $4 bigint       the highest number that is counted
--
-- locks: none
-- indexes: attempts_failed, callouts_pkey
SELECT count(*), min(id::text) AS "firstId" FROM (
  SELECT DISTINCT a.callout_id AS id FROM attempts a,
    LATERAL (SELECT state, kind, finished_at FROM callouts WHERE id = a.callout_id OFFSET 0) AS c
  WHERE a.webhook_key = $1 AND a.id >= $2 AND a.next_attempt_at IS NULL
    AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)
    AND c.state = 'failed' AND c.kind = 'event' AND c.finished_at >= $3
  LIMIT $4
) AS failed
