-- Locks the existing records that a commit of many needs. Their values are read if all together are not too long, otherwise
-- only their lengths are, in characters of JSON. To know the length, what is not compressed need not be read.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
-- $4 bigint    characters that are read at most
--
-- locks: records (no key update)
-- indexes: records_pkey
WITH locked AS MATERIALIZED (
  SELECT r.*, CASE WHEN pg_column_compression(fields) IS NULL THEN pg_column_size(fields) ELSE length(fields::text) END
    + CASE WHEN pg_column_compression(udf_fields) IS NULL THEN pg_column_size(udf_fields)
      ELSE length(udf_fields::text) END AS length
  FROM (
    SELECT * FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id) ORDER BY 1, 2, 3
  ) AS k, LATERAL (
    SELECT tenant_id, entity_type, id, version, fields, udf_fields, deleted_at IS NOT NULL AS is_deleted FROM records
    WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) FOR NO KEY UPDATE
  ) AS r
), total AS (
  SELECT sum(length) <= $4 AS is_read FROM locked
)
SELECT tenant_id, entity_type, id, version, is_deleted, length, is_read,
  CASE WHEN is_read THEN fields END AS fields, CASE WHEN is_read THEN udf_fields END AS udf_fields
FROM locked, total
