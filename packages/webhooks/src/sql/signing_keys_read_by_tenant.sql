-- Reads the public keys of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: signing_keys_pkey
SELECT id, public_key AS "publicKey", created_at AS "createdAt",
  previous_public_key AS "previousPublicKey", previous_created_at AS "previousCreatedAt",
  CASE WHEN previous_until > now() THEN previous_until END AS "previousUntil"
FROM signing_keys WHERE tenant_id = $1
