-- Stores signing keys that were encrypted again.
--
-- $1 int[]    tenants
-- $2 text[]   ids of the encryption keys
-- $3 bytea[]  nonces
-- $4 bytea[]  ciphertexts
-- $5 text[]   key ids of the previous keys
-- $6 bytea[]  nonces of the previous keys
-- $7 bytea[]  ciphertexts of the previous keys
--
-- locks: signing_keys
-- indexes: signing_keys_pkey
UPDATE signing_keys k SET key_id = s.key_id, nonce = s.nonce, ciphertext = s.ciphertext,
  previous_key_id = s.previous_key_id, previous_nonce = s.previous_nonce,
  previous_ciphertext = s.previous_ciphertext,
  previous_public_key = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_public_key END,
  previous_created_at = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_created_at END,
  previous_until = CASE WHEN s.previous_key_id IS NOT NULL THEN k.previous_until END
FROM unnest($1::int[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::bytea[], $7::bytea[])
  AS s (tenant_id, key_id, nonce, ciphertext, previous_key_id, previous_nonce, previous_ciphertext)
WHERE k.tenant_id = s.tenant_id
