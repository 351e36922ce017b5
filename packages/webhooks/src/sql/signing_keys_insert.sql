-- Stores a signing key, unless the tenant has one.
--
-- $1 int    tenant
-- $2 uuid   public id
-- $3 bytea  public key
-- $4 text   id of the encryption key
-- $5 bytea  nonce
-- $6 bytea  ciphertext of the private key
--
-- locks: signing_keys
-- indexes: none
INSERT INTO signing_keys (tenant_id, id, public_key, key_id, nonce, ciphertext) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (tenant_id) DO NOTHING RETURNING true AS "isMade"
