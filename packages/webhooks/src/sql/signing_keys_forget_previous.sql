-- Forgets the previous signing key of a tenant.
--
-- $1 int  tenant
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
UPDATE signing_keys SET previous_public_key = NULL, previous_created_at = NULL, previous_key_id = NULL,
previous_nonce = NULL, previous_ciphertext = NULL, previous_until = NULL WHERE tenant_id = $1
