-- Finds the episodes that are under way, in random order: the first one has the first choice of free slots.
--
-- locks: none
-- indexes: threshold_windows_episodes
SELECT tenant_id AS "tenantId", entity_type AS "entityType" FROM threshold_windows
WHERE episode_started_at IS NOT NULL ORDER BY random()
