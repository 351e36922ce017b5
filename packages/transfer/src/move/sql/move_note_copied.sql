-- Notes rows about to be copied, as long as the tenant is arriving, the run has the move, and all earlier rows of the
-- run are there.
--
-- $1 int     tenant in the target
-- $2 bigint  rows to add
-- $3 uuid    move
-- $4 uuid    run
-- $5 bigint  rows that were copied before
--
-- locks: none
-- indexes: tenant_moves_pkey, tenants_pkey
WITH arriving AS (
  SELECT FROM tenants WHERE id = $1 AND state = 'arriving' AND deleting_at IS NULL FOR SHARE
)
UPDATE tenant_moves SET copied = copied + $2 FROM arriving WHERE (id, run, copied) = ($3, $4, $5) RETURNING id
