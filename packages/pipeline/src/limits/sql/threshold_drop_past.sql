-- Drops the seconds older than the hour (3,600 with the present one), and returns what was counted in them. One that is
-- still in the window is dropped by threshold_count.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_use_pkey, threshold_windows_pkey
WITH dropped AS (
  DELETE FROM threshold_use WHERE (tenant_id, entity_type) = ($1, $2)
    AND second <= date_trunc('second', now()) - interval '3600 seconds'
  RETURNING used
)
SELECT used FROM dropped
UNION ALL
SELECT second_used FROM threshold_windows WHERE (tenant_id, entity_type) = ($1, $2)
  AND second <= date_trunc('second', now()) - interval '3600 seconds' AND second_used <> 0
