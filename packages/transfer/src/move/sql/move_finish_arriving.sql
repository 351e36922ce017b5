-- Ends a move in the database where the tenant goes.
--
-- $1 uuid  move
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET finished_at = coalesce(finished_at, now()) WHERE id = $1
