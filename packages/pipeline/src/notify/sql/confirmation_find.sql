-- Finds the address that a link confirms.
--
-- $1 bytea  hash of the token in the link
--
-- locks: none
-- indexes: tenants_pkey
SELECT c.address, t.name AS "tenantName", c.confirmed_at IS NOT NULL AS "isConfirmed"
FROM mail_confirmations c JOIN tenants t ON t.id = c.tenant_id
WHERE c.token_hash = $1 AND (c.expires_at > now() OR c.confirmed_at IS NOT NULL)
