-- Takes the next numbers of collections of a tenant.
--
-- $1 int     tenant
-- $2 text[]  collections
-- $3 int[]   numbers to take of each
--
-- locks: counters
-- indexes: none
INSERT INTO counters AS c (tenant_id, collection, next_id)
SELECT $1::int, need.collection, 1 + need.count
FROM unnest($2::text[], $3::int[]) AS need (collection, count) ORDER BY need.collection
ON CONFLICT (tenant_id, collection) DO UPDATE SET next_id = c.next_id + excluded.next_id - 1
RETURNING collection, next_id AS "nextId"
