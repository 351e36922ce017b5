-- Reserves record ids: raises each counter above the ids that callers chose, and by the number of new ones. Ids from
-- 2^52 on do not count: a record with the largest number would leave none for all that come after it. The commit does
-- not wait for the disk: the log is written in order, so the events that use these ids cannot be there without it.
--
-- $1 int[]     tenants
-- $2 text[]    collections
-- $3 text[]    their entity types
-- $4 bigint[]  highest id that a caller of the same commit chose
-- $5 bigint[]  how many new ids
--
-- locks: counters
-- indexes: counters_pkey, records_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), need AS (
  SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    AS n (tenant_id, collection, entity_type, highest, count)
), locked AS (
  SELECT c.tenant_id, c.collection FROM counters c JOIN need USING (tenant_id, collection)
  ORDER BY 1, 2 FOR NO KEY UPDATE OF c
)
UPDATE counters c SET next_id = need.count + greatest(c.next_id, need.highest + 1, (
  SELECT max(r.id) + 1 FROM records r
  WHERE r.tenant_id = need.tenant_id AND r.entity_type = need.entity_type AND r.id < 4503599627370496
))
FROM unhurried, locked JOIN need USING (tenant_id, collection)
WHERE c.tenant_id = locked.tenant_id AND c.collection = locked.collection
RETURNING c.tenant_id, c.collection, c.next_id
