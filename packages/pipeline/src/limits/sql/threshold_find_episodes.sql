-- Finds the current episodes, in random order, since the first one gets free slots first.
--
-- locks: none
-- indexes: threshold_windows_episodes
SELECT tenant_id AS "tenantId", entity_type AS "entityType" FROM threshold_windows
WHERE episode_started_at IS NOT NULL ORDER BY random()
