-- Deletes a move.
--
-- $1 uuid  move
--
-- locks: none
-- indexes: tenant_moves_pkey
DELETE FROM tenant_moves WHERE id = $1
