-- Locks a credential, or the credential of a user name.
--
-- $1 int   tenant
-- $2 int   credential
-- $3 text  folded user name
--
-- locks: none
-- indexes: credentials_tenant_id_resource_id_idx
SELECT id FROM credentials WHERE tenant_id = $1 AND (id = $2 OR user_name_folded = $3) FOR NO KEY UPDATE
