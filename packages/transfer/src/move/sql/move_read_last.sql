-- Reads the last move of a tenant out of a database.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: tenant_moves_tenant_id_idx
SELECT m.id, m.zone_name AS "zoneName", m.is_prepared AS "isPrepared", m.finished_at IS NOT NULL AS "hasLeft"
FROM tenant_moves m WHERE m.tenant_id = $1 AND m.direction = 'out' ORDER BY m.started_at DESC LIMIT 1
