-- Reads the record of a simulated event.
--
-- $1 int     tenant
-- $2 text    entity type
-- $3 bigint  record
--
-- locks: none
-- indexes: records_pkey
SELECT version, fields, udf_fields AS "udfFields", deleted_at IS NOT NULL AS "isDeleted"
FROM records WHERE (tenant_id, entity_type, id) = ($1, $2, $3)
