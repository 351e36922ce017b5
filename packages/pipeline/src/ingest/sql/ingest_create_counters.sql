-- Creates the counters of record ids that are missing.
--
-- $1 int[]   tenants
-- $2 text[]  collections
--
-- locks: counters
-- indexes: none
INSERT INTO counters (tenant_id, collection)
SELECT tenant_id, collection FROM unnest($1::int[], $2::text[]) AS need (tenant_id, collection) ORDER BY 1, 2
ON CONFLICT DO NOTHING
