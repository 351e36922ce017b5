-- Counts released callouts.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   how many were released
--
-- locks: none (threshold_lock_episode has the window)
-- indexes: none
SELECT granted FROM grant_first_attempts($1, $2, $3, NULL)
