-- Deletes a process that has ended, and processes silent for a day.
--
-- $1 uuid  id of the process
--
-- locks: none
-- indexes: none
DELETE FROM processes WHERE id = $1 OR seen_at < now() - interval '1 day' RETURNING id
