-- Reserves sequence numbers of webhooks for their new callouts, without a gap; the update is also what locks them. In
-- order of the key, like everything that locks webhooks: of the sorted keys, each webhook is found by its key. A webhook
-- that was deleted meanwhile has another version too.
--
-- Then locks the windows of thresholds, for a match that may lease what it stores: before it locks open callouts, or it
-- could hold one that a settlement needs while it waits for a window whose holder waits for that settlement. Without a
-- threshold nothing is locked. `count(*)` has all webhooks locked by then.
--
-- $1 bigint[]  keys of the webhooks
-- $2 int[]     how many numbers of each
-- $3 int[]     tenants whose thresholds may be asked
-- $4 text[]    entity types
-- $5 int       the threshold of the installation
--
-- locks: webhooks (no key update), threshold_windows
-- indexes: webhooks_pkey, tenants_pkey, webhook_health_pkey
WITH numbered AS (
  UPDATE webhooks w SET last_sequence = w.last_sequence + wanted.count
  FROM (SELECT * FROM unnest($1::bigint[], $2::int[]) AS w (key, count) ORDER BY key) AS wanted
  WHERE w.key = wanted.key
  RETURNING w.key, w.tenant_id, w.version, w.last_sequence - wanted.count + 1 AS first
), counting AS MATERIALIZED (
  SELECT g.* FROM unnest($3::int[], $4::text[]) AS g (tenant_id, entity_type), LATERAL (
    SELECT callout_threshold FROM tenants WHERE id = g.tenant_id OFFSET 0
  ) AS t
  WHERE coalesce(t.callout_threshold, $5) > 0 AND (SELECT count(*) FROM numbered) > 0
  ORDER BY g.tenant_id, g.entity_type
), windows AS MATERIALIZED (
  SELECT FROM counting, LATERAL grant_first_attempts(counting.tenant_id, counting.entity_type, 0, 0)
)
SELECT n.key AS "webhookKey", n.version, n.first AS "firstSequenceNumber",
  coalesce((SELECT h.pauses > 0 FROM webhook_health h WHERE h.webhook_key = n.key), false) AS "isPaused",
  t.threshold, (SELECT count(*) FROM windows) AS windows
FROM numbered n, LATERAL (
  SELECT callout_threshold AS threshold FROM tenants WHERE id = n.tenant_id OFFSET 0
) AS t
