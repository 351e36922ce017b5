-- Locks the window of an episode, and reads how many first attempts its threshold leaves; null: there is no threshold any
-- more. Skipped while another worker releases callouts of the episode.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   the threshold of the installation
--
-- locks: threshold_windows (skip locked)
-- indexes: tenants_pkey, threshold_windows_episodes
WITH episode AS MATERIALIZED (
  SELECT tenant_id, entity_type, episode_started_at FROM threshold_windows
  WHERE (tenant_id, entity_type) = ($1, $2) AND episode_started_at IS NOT NULL FOR UPDATE SKIP LOCKED
)
SELECT e.episode_started_at AS "startedAt", now() AS now, coalesce(t.callout_threshold, $3) AS limit,
  nullif(coalesce(t.callout_threshold, $3), 0) - w.counted AS unused
FROM episode e, LATERAL (
  SELECT callout_threshold FROM tenants WHERE id = e.tenant_id OFFSET 0
) AS t, LATERAL grant_first_attempts(e.tenant_id, e.entity_type, 0, 0) AS w
