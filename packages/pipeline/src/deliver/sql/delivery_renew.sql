-- Extends the leases of calls under way that the worker still holds, with everything that lasts as long: the place
-- among the calls of the webhook, and the pause around a probe. While a callout is sent that was overtaken by an earlier
-- callout of the record, the earlier callout is not due. Locked rows are skipped, and found by the next round: the
-- statement waits for nothing. `state || ''`: see README.md.
--
-- $1 uuid[]            callouts
-- $2 uuid[]            their leases
-- $3 double precision  how long a lease lasts, in ms
--
-- locks: webhook_health (skip locked), open_callouts (no key update, skip locked)
-- indexes: limited_calls_pkey, open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx,
--   webhook_health_pkey
WITH held AS MATERIALIZED (
  SELECT o.* FROM unnest($1::uuid[], $2::uuid[]) AS h (callout_id, lease), LATERAL (
    SELECT callout_id, webhook_key, record_id, state, lease_owner FROM open_callouts
    WHERE callout_id = h.callout_id AND lease_owner = h.lease FOR NO KEY UPDATE SKIP LOCKED
  ) AS o
), overtaking AS MATERIALIZED (
  SELECT first.callout_id FROM held, LATERAL (
    SELECT callout_id FROM open_callouts
    WHERE webhook_key = held.webhook_key AND record_id = held.record_id AND state || '' = 'due' AND lease_owner IS NULL
    ORDER BY sequence_number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  ) AS first WHERE held.state = 'waiting'
), leases AS (
  UPDATE open_callouts SET lease_until = now() + $3 * interval '1 millisecond'
  WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM held))
), later AS (
  UPDATE open_callouts SET due_at = greatest(due_at, now() + $3 * interval '1 millisecond')
  WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM overtaking))
), places AS (
  UPDATE limited_calls SET lease_until = now() + $3 * interval '1 millisecond'
  WHERE (webhook_key, callout_id) IN (
    SELECT p.webhook_key, p.callout_id FROM held, LATERAL (
      SELECT webhook_key, callout_id FROM limited_calls
      WHERE webhook_key = held.webhook_key AND callout_id = held.callout_id AND lease_owner = held.lease_owner
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS p)
), pauses AS (
  UPDATE webhook_health SET paused_until = now() + $3 * interval '1 millisecond'
  WHERE webhook_key = ANY(ARRAY(
    SELECT h.webhook_key FROM held, LATERAL (
      SELECT webhook_key FROM webhook_health
      WHERE webhook_key = held.webhook_key AND probe_lease = held.lease_owner FOR NO KEY UPDATE SKIP LOCKED
    ) AS h))
)
SELECT callout_id AS id FROM held
