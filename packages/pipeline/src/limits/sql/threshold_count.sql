-- Counts released callouts.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   what the window had used
-- $4 int   how many were released
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_windows_pkey
WITH before AS (
  SELECT tenant_id, entity_type, second AS past_second, second_used AS past_used FROM threshold_windows
  WHERE (tenant_id, entity_type) = ($1, $2)
), counted AS (
  INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
  SELECT tenant_id, entity_type, past_second, past_used FROM before
  WHERE past_second <> date_trunc('second', now()) AND past_used <> 0
    AND past_second > date_trunc('second', now()) - interval '3600 seconds'
  ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
)
UPDATE threshold_windows SET second = date_trunc('second', now()), used = $3::int + $4::int,
  second_used = $4::int + CASE WHEN second = date_trunc('second', now()) THEN second_used ELSE 0 END
WHERE (tenant_id, entity_type) = ($1, $2)
