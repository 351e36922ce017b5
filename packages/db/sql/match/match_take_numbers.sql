-- Locks webhooks and takes sequence numbers for their new callouts, without a gap. In order of the key, like everything
-- that locks webhooks. A webhook that was deleted meanwhile has another version too.
--
-- $1 bigint[]  keys of the webhooks
-- $2 int[]     how many numbers of each
--
-- locks: webhooks (no key update)
-- indexes: webhooks_pkey, tenants_pkey, webhook_health_pkey
WITH wanted AS (
  SELECT * FROM unnest($1::bigint[], $2::int[]) AS w (key, count)
), locked AS (
  SELECT w.key FROM webhooks w JOIN wanted USING (key) ORDER BY w.key FOR NO KEY UPDATE OF w
)
UPDATE webhooks w SET last_sequence = w.last_sequence + wanted.count
FROM locked JOIN wanted USING (key) WHERE w.key = locked.key
RETURNING w.key AS "webhookKey", w.version, w.last_sequence - wanted.count + 1 AS "firstSequenceNumber",
  coalesce((SELECT h.pauses > 0 FROM webhook_health h WHERE h.webhook_key = w.key), false) AS "isPaused",
  (SELECT callout_threshold FROM tenants WHERE id = w.tenant_id) AS threshold
