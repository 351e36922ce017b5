-- Reads records that the transaction has locked (ingest_lock_many).
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
--
-- locks: none
-- indexes: records_pkey
SELECT r.* FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id), LATERAL (
  SELECT tenant_id, entity_type, id, version, fields, udf_fields, deleted_at IS NOT NULL AS is_deleted FROM records
  WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) OFFSET 0
) AS r
