-- Stores when the next held callout of a threshold that spreads may be released.
--
-- $1 int          tenant
-- $2 text         entity type
-- $3 timestamptz  when
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: threshold_windows_pkey
UPDATE threshold_windows SET next_release_at = $3 WHERE (tenant_id, entity_type) = ($1, $2)
