-- Reads the user names of a zone, in the database of the zone.
--
-- $1 text    the last name that was read
-- $2 bigint  most names
--
-- locks: none
-- indexes: credentials_user_name_folded_key, tenants_pkey
SELECT c.user_name_folded AS name FROM credentials c JOIN tenants t ON t.id = c.tenant_id
WHERE c.revoked_at IS NULL AND t.state = 'active' AND c.user_name_folded > $1
ORDER BY c.user_name_folded LIMIT $2
