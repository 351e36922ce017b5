-- Locks a definition.
--
-- $1 int  tenant
-- $2 int  definition
--
-- locks: udf_definitions
-- indexes: udf_definitions_pkey
SELECT id FROM udf_definitions WHERE (tenant_id, id) = ($1, $2) FOR UPDATE
