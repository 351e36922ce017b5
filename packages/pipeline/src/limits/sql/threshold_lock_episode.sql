-- Locks the window of an episode. Skipped while another worker releases callouts of it.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   the threshold of the installation
--
-- locks: threshold_windows (skip locked)
-- indexes: tenants_pkey, threshold_windows_episodes
SELECT w.episode_started_at AS "startedAt", now() AS now, w.used, coalesce(t.callout_threshold, $3) AS limit
FROM threshold_windows w, LATERAL (SELECT callout_threshold FROM tenants WHERE id = w.tenant_id OFFSET 0) AS t
WHERE (w.tenant_id, w.entity_type) = ($1, $2) AND w.episode_started_at IS NOT NULL FOR UPDATE OF w SKIP LOCKED
