-- Locks signing keys that an earlier key has encrypted.
--
-- $1 int     the last tenant that was read
-- $2 text    id of the present key
-- $3 bigint  most tenants
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
SELECT tenant_id AS "tenantId", id, key_id AS "keyId", nonce, ciphertext,
  CASE WHEN previous_until > now() THEN previous_key_id END AS "previousKeyId",
  previous_nonce AS "previousNonce", previous_ciphertext AS "previousCiphertext"
FROM signing_keys WHERE tenant_id > $1 AND (key_id <> $2 OR previous_key_id <> $2)
ORDER BY tenant_id LIMIT $3 FOR NO KEY UPDATE
