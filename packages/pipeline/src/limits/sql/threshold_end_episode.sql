-- Ends an episode and returns how many callouts of each webhook were held in it.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_episode_webhooks_pkey, threshold_windows_pkey
WITH ended AS (UPDATE threshold_windows SET episode_started_at = NULL WHERE (tenant_id, entity_type) = ($1, $2))
DELETE FROM threshold_episode_webhooks WHERE (tenant_id, entity_type) = ($1, $2)
RETURNING webhook_key AS "webhookKey", held
