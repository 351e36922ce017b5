-- Counts released callouts.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   what the window had used
-- $4 int   how many were released
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_windows_pkey
WITH counted AS (
  INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
  SELECT $1, $2, date_trunc('second', now()), $4::int WHERE $4::int > 0
  ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
)
UPDATE threshold_windows SET used = $3::int + $4::int WHERE (tenant_id, entity_type) = ($1, $2)
