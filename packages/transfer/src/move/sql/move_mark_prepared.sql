-- Stores that both databases have the move.
--
-- $1 uuid  move
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET is_prepared = true WHERE id = $1
