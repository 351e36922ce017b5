-- Locks records and reads what is known of them. Sorted, so that commits that want the same records wait for each other
-- instead of deadlocking.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
--
-- locks: records (no key update)
-- indexes: records_pkey
SELECT r.* FROM (
  SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id) ORDER BY 1, 2, 3
) AS k, LATERAL (
  SELECT tenant_id, entity_type, id, version, fields, udf_fields, deleted_at IS NOT NULL AS is_deleted FROM records
  WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) FOR NO KEY UPDATE
) AS r
