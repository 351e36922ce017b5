-- Reads the user names of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: credentials_tenant_id_resource_id_idx
SELECT user_name_folded AS name FROM credentials WHERE tenant_id = $1
