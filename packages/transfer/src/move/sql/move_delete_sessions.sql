-- Ends all sessions of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: console_sessions_tenant_id_resource_id_idx
DELETE FROM console_sessions WHERE tenant_id = $1
