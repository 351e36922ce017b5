-- Reads the encrypted signing keys of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: signing_keys_pkey
SELECT id, key_id AS "keyId", nonce, ciphertext, previous_key_id AS "previousKeyId",
  previous_nonce AS "previousNonce", previous_ciphertext AS "previousCiphertext"
FROM signing_keys WHERE tenant_id = $1
