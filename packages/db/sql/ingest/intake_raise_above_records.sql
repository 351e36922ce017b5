-- Puts a counter above all records there are, since a caller chose an id that it had given away already. Ids from 2^52
-- on do not count: one at the top of what a number can hold would leave none for all that come after it.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 text  collection
--
-- locks: counters
-- indexes: counters_pkey, records_pkey
UPDATE counters SET next_id = greatest(next_id, (
  SELECT max(id) + 1 FROM records WHERE tenant_id = $1 AND entity_type = $2 AND id < 4503599627370496
)) WHERE tenant_id = $1 AND collection = $3
