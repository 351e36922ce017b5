-- Locks the existing records that a commit of many needs, and returns how long the values known of each are, in
-- characters of JSON: all of them together may be too much to read. What is not compressed is not read for that.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
--
-- locks: records (no key update)
-- indexes: records_pkey
SELECT r.tenant_id AS "tenantId", r.entity_type AS "entityType", r.id AS "recordId",
  CASE WHEN pg_column_compression(r.fields) IS NULL THEN pg_column_size(r.fields) ELSE length(r.fields::text) END
  + CASE WHEN pg_column_compression(r.udf_fields) IS NULL THEN pg_column_size(r.udf_fields)
    ELSE length(r.udf_fields::text) END AS length
FROM (
  SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id) ORDER BY 1, 2, 3
) AS k, LATERAL (
  SELECT tenant_id, entity_type, id, fields, udf_fields FROM records
  WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) FOR NO KEY UPDATE
) AS r
