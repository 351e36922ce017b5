-- Makes a run the only run of a move, in the database where the tenant goes, with nothing copied yet.
--
-- $1 uuid  move
-- $2 uuid  run
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET run = $2, copied = 0 WHERE id = $1
