-- Ends a move in the database that the tenant leaves, unless another run has taken over the move.
--
-- $1 uuid  move
-- $2 uuid  run
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET finished_at = now() WHERE (id, run) = ($1, $2) RETURNING id
