-- Drops the seconds older than the hour: 3,600 with the present one.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_use_pkey
DELETE FROM threshold_use WHERE (tenant_id, entity_type) = ($1, $2)
  AND second <= date_trunc('second', now()) - interval '3600 seconds'
RETURNING used
