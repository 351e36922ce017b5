-- Writes what became of records. Documents come as one JSON array of each kind: as elements of PostgreSQL arrays, each
-- of their quotes would have to be escaped here and unescaped there, which costs more than all else that is done with
-- them.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
-- $4 bigint[]  versions
-- $5 bool[]    whether each is deleted now
-- $6 json      values, an array of objects
-- $7 json      the same of user-defined fields
-- $8 jsonb     folded values for searches, an array of objects
--
-- locks: none (intake_lock_records has them)
-- indexes: none
INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, folded, deleted_at)
SELECT tenant_id, entity_type, id, version, fields, udf_fields, folded, CASE WHEN is_deleted THEN now() END
FROM ROWS FROM (
  unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bool[]),
  json_array_elements($6::json), json_array_elements($7::json), jsonb_array_elements($8::jsonb)
) AS r (tenant_id, entity_type, id, version, is_deleted, fields, udf_fields, folded)
ORDER BY 1, 2, 3
ON CONFLICT (tenant_id, entity_type, id) DO UPDATE SET version = excluded.version, fields = excluded.fields,
  udf_fields = excluded.udf_fields, folded = excluded.folded, deleted_at = excluded.deleted_at
