-- Makes a run the only run of a move, in the source.
--
-- $1 uuid  move
-- $2 uuid  run
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET run = $2 WHERE id = $1 AND finished_at IS NULL RETURNING id
