-- Which of these webhooks have callouts that their threshold may hold: a new callout of theirs is not sent at once, so that
-- later changes can be merged into it while it is held.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: threshold_windows_episodes, webhooks_pkey
SELECT k.key AS "webhookKey" FROM unnest($1::bigint[]) AS k (key), LATERAL (
  SELECT tenant_id, entity_type FROM webhooks WHERE key = k.key OFFSET 0
) AS w, LATERAL (
  SELECT FROM threshold_windows WHERE (tenant_id, entity_type) = (w.tenant_id, w.entity_type)
    AND episode_started_at IS NOT NULL OFFSET 0
) AS t
