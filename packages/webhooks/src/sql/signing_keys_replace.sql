-- Replaces the signing key of a tenant, and keeps the present key as the previous key.
--
-- $1 int    tenant
-- $2 bytea  public key
-- $3 text   id of the encryption key
-- $4 bytea  nonce
-- $5 bytea  ciphertext of the private key
-- $6 int    hours for which both keys sign
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
UPDATE signing_keys SET previous_public_key = public_key, previous_created_at = created_at,
  previous_key_id = key_id, previous_nonce = nonce, previous_ciphertext = ciphertext,
  previous_until = now() + $6::int * interval '1 hour',
  public_key = $2, created_at = now(), key_id = $3, nonce = $4, ciphertext = $5
WHERE tenant_id = $1
