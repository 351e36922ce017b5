-- Reverses the count of a first attempt that was not made. Under the lock of the window, like everything that counts.
-- If its second was dropped since, being older than the hour, the count is reversed already.
--
-- $1 int          tenant
-- $2 text         entity type
-- $3 timestamptz  when it was counted
--
-- locks: threshold_windows
-- indexes: threshold_use_pkey, threshold_windows_pkey
WITH locked AS MATERIALIZED (
  SELECT tenant_id, entity_type FROM threshold_windows WHERE (tenant_id, entity_type) = ($1, $2) FOR UPDATE
), less AS (
  UPDATE threshold_use u SET used = u.used - 1 FROM locked
  WHERE (u.tenant_id, u.entity_type, u.second) 
    = (locked.tenant_id, locked.entity_type, date_trunc('second', $3::timestamptz))
  RETURNING u.tenant_id, u.entity_type
)
UPDATE threshold_windows w SET used = w.used - 1 FROM less
WHERE (w.tenant_id, w.entity_type) = (less.tenant_id, less.entity_type)
