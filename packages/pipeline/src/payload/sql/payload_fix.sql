-- Makes the bytes of callouts final, before the first attempt. The commit waits for the disk: a claim does
-- not, so after a crash of PostgreSQL nothing else would say that a callout may have been sent. Returns the callouts that
-- are still open under their lease; the rest was merged away, cancelled or claimed by another worker. In the order of
-- everything that locks open callouts.
--
-- $1 uuid[]  callouts
-- $2 uuid[]  their leases
--
-- locks: open_callouts (no key update), mergeable_callouts
-- indexes: mergeable_callouts_pkey, open_callouts_pkey
WITH wanted AS MATERIALIZED (
  SELECT o.callout_id, n.lease FROM unnest($1::uuid[], $2::uuid[]) AS n (id, lease), LATERAL (
    SELECT callout_id, webhook_key, record_id, sequence_number FROM open_callouts WHERE callout_id = n.id OFFSET 0
  ) AS o ORDER BY o.webhook_key, o.record_id, o.sequence_number
), held AS MATERIALIZED (
  SELECT o.* FROM wanted, LATERAL (
    SELECT callout_id, webhook_key, record_id, action, lease_owner FROM open_callouts
    WHERE callout_id = wanted.callout_id OFFSET 0 FOR NO KEY UPDATE
  ) AS o WHERE o.lease_owner = wanted.lease
), fixed AS (
  DELETE FROM mergeable_callouts m USING held
  WHERE m.webhook_key = held.webhook_key AND m.record_id = held.record_id AND m.callout_id = held.callout_id
  RETURNING m.callout_id, json_array_length(m.carried -> 'eventIds') > 1 AS is_merged
)
SELECT held.callout_id AS id, held.action, coalesce(fixed.is_merged, true) AS "isRead"
FROM held LEFT JOIN fixed ON fixed.callout_id = held.callout_id
