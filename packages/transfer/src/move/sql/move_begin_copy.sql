-- Makes a run the only one of a move, in the database where the tenant goes: the run has copied nothing yet.
--
-- $1 uuid  move
-- $2 uuid  run
--
-- locks: none
-- indexes: tenant_moves_pkey
UPDATE tenant_moves SET run = $2, copied = 0 WHERE id = $1
