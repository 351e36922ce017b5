-- Begins an episode of a threshold, or finds the current one. Returns nothing if there is capacity again: then
-- the episode in which callouts were not granted has ended meanwhile.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   the threshold
--
-- locks: threshold_windows
-- indexes: threshold_windows_pkey
UPDATE threshold_windows SET episode_started_at = coalesce(episode_started_at, now())
WHERE (tenant_id, entity_type) = ($1, $2) AND (episode_started_at IS NOT NULL OR used >= $3)
RETURNING episode_started_at AS "startedAt", now() AS now
