-- Holds a place (version 0) for each record that has never been seen, so that two first events of it cannot both be
-- first. Sorted, like everything that locks records.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
--
-- locks: records
-- indexes: records_pkey
INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields)
SELECT k.tenant_id, k.entity_type, k.id, 0, '{}', '{}'
FROM unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id)
WHERE NOT EXISTS (SELECT FROM records r WHERE (r.tenant_id, r.entity_type, r.id) = (k.tenant_id, k.entity_type, k.id))
ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING
