-- Ends a run of a move.
--
-- $1 uuid  move
-- $2 uuid  run, or null for any run
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET run = NULL WHERE id = $1 AND ($2::uuid IS NULL OR run = $2) RETURNING id
