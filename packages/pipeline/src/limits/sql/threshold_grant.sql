-- Counts as many first attempts as the thresholds of their tenant and entity allow. The windows are locked in their order.
-- The commit does not wait for the disk: a crashing server loses part of the count of one second.
--
-- $1 int[]   tenants
-- $2 text[]  entity types
-- $3 int[]   how many first attempts
-- $4 int[]   the threshold of each
--
-- locks: threshold_windows
-- indexes: none
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), wanted AS MATERIALIZED (
  SELECT w.* FROM unhurried, unnest($1::int[], $2::text[], $3::int[], $4::int[]) AS w (tenant_id, entity_type, attempts, most)
  ORDER BY w.tenant_id, w.entity_type
)
SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted, now() AS "countedAt"
FROM wanted, LATERAL grant_first_attempts(tenant_id, entity_type, attempts, most)
