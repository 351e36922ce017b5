-- Locks the signing key of a tenant.
--
-- $1 int  tenant
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
SELECT id, public_key AS "publicKey", key_id AS "keyId", nonce, ciphertext,
  CASE WHEN previous_until > now() THEN previous_public_key END AS "previousPublicKey"
FROM signing_keys WHERE tenant_id = $1 FOR UPDATE
