-- Creates the windows of tenants and entities that had no callout so far.
--
-- $1 int[]   tenants
-- $2 text[]  entity types
--
-- locks: threshold_windows
-- indexes: none
INSERT INTO threshold_windows (tenant_id, entity_type)
SELECT * FROM unnest($1::int[], $2::text[]) AS g (tenant_id, entity_type) ORDER BY 1, 2 ON CONFLICT DO NOTHING
