-- Reverses the count of a first attempt that was not made. Under the lock of the window, like everything that counts.
-- If its second is older than the hour, the count is dropped or will be. One that has just been moved to threshold_use may
-- not be visible to this statement, but an insert finds it.
--
-- $1 int          tenant
-- $2 text         entity type
-- $3 timestamptz  when it was counted
--
-- locks: threshold_windows
-- indexes: threshold_windows_pkey
WITH counted AS MATERIALIZED (
  SELECT tenant_id, entity_type, date_trunc('second', $3::timestamptz) AS second,
    second = date_trunc('second', $3::timestamptz) AS is_in_window
  FROM threshold_windows
  WHERE (tenant_id, entity_type) = ($1, $2)
    AND date_trunc('second', $3::timestamptz) > date_trunc('second', now()) - interval '3600 seconds'
  FOR UPDATE
), less AS (
  INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
  SELECT tenant_id, entity_type, second, -1 FROM counted WHERE NOT is_in_window
  ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
)
UPDATE threshold_windows w SET used = w.used - 1, second_used = w.second_used - c.is_in_window::int FROM counted c
WHERE (w.tenant_id, w.entity_type) = (c.tenant_id, c.entity_type)
