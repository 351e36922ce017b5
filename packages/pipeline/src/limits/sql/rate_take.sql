-- Stores that calls of webhooks begin now, and counts those of webhooks that limit their number.
--
-- $1 bigint[]          keys of the webhooks
-- $2 int[]             how many calls of each
-- $3 bigint[]          keys of the webhooks of calls that are counted
-- $4 uuid[]            their callouts
-- $5 uuid              the lease of the calls
-- $6 double precision  how long it lasts, in ms
--
-- locks: none (rate_lock has them)
-- indexes: webhook_rates_pkey, webhooks_pkey
WITH counted AS (
  INSERT INTO limited_calls (webhook_key, callout_id, lease_owner, lease_until)
  SELECT *, $5::uuid, clock_timestamp() + $6 * interval '1 millisecond' FROM unnest($3::bigint[], $4::uuid[])
  ON CONFLICT (webhook_key, callout_id) DO UPDATE
    SET lease_owner = EXCLUDED.lease_owner, lease_until = EXCLUDED.lease_until
)
UPDATE webhook_rates r SET next_call_at = greatest(r.next_call_at, clock_timestamp() - interval '500 ms')
  + coalesce(begun.calls / begun.per_second, 0) * interval '1 second'
FROM (
  SELECT t.*, w.per_second FROM unnest($1::bigint[], $2::int[]) AS t (webhook_key, calls), LATERAL (
    SELECT max_calls_per_second AS per_second FROM webhooks WHERE key = t.webhook_key OFFSET 0
  ) AS w
) AS begun WHERE r.webhook_key = begun.webhook_key
