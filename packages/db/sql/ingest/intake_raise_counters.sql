-- Reserves record ids: raises each counter above the ids that callers chose, and by the number of new ones. Not waited
-- for on disk: the log is written in order, so the events that use these ids cannot be there without it.
--
-- $1 int[]     tenants
-- $2 text[]    collections
-- $3 bigint[]  highest id that a caller chose
-- $4 bigint[]  how many new ids
--
-- locks: counters
-- indexes: counters_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), need AS (
  SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) AS n (tenant_id, collection, highest, count)
), locked AS (
  SELECT c.tenant_id, c.collection FROM counters c JOIN need USING (tenant_id, collection)
  WHERE need.count > 0 OR c.next_id <= need.highest
  ORDER BY 1, 2 FOR NO KEY UPDATE OF c
)
UPDATE counters c SET next_id = greatest(c.next_id, need.highest + 1) + need.count
FROM unhurried, locked JOIN need USING (tenant_id, collection)
WHERE c.tenant_id = locked.tenant_id AND c.collection = locked.collection
RETURNING c.tenant_id, c.collection, c.next_id
