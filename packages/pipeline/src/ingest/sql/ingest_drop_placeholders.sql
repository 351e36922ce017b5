-- Removes placeholders (version 0) of records that no event was stored for.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  records
--
-- locks: none (ingest_lock has them)
-- indexes: records_pkey
DELETE FROM records r USING unnest($1::int[], $2::text[], $3::bigint[]) AS k (tenant_id, entity_type, id)
WHERE (r.tenant_id, r.entity_type, r.id) = (k.tenant_id, k.entity_type, k.id) AND r.version = 0
