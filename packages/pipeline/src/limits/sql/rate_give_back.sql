-- Lets the next calls of webhooks begin as if calls that were not made had not been counted for their rate. In order of the
-- key. A claim never lets more be made up for than half a second allows.
--
-- $1 bigint[]  keys of the webhooks
-- $2 int[]     how many calls of each
--
-- locks: webhook_rates
-- indexes: webhook_rates_pkey, webhooks_pkey
WITH locked AS MATERIALIZED (
  SELECT t.webhook_key, t.calls, w.per_second FROM (
    SELECT * FROM unnest($1::bigint[], $2::int[]) AS t (webhook_key, calls) ORDER BY webhook_key
  ) AS t, LATERAL (
    SELECT max_calls_per_second AS per_second FROM webhooks WHERE key = t.webhook_key OFFSET 0
  ) AS w, LATERAL (
    SELECT FROM webhook_rates WHERE webhook_key = t.webhook_key FOR NO KEY UPDATE
  ) AS r WHERE w.per_second IS NOT NULL
)
UPDATE webhook_rates r SET next_call_at = r.next_call_at - (locked.calls / locked.per_second) * interval '1 second'
FROM locked WHERE r.webhook_key = locked.webhook_key
