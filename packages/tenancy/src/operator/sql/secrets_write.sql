-- Stores secrets that were encrypted again.
--
-- $1 bigint[]  keys of the webhooks
-- $2 text[]    ids of the encryption keys
-- $3 bytea[]   nonces
-- $4 bytea[]   ciphertexts
-- $5 text[]    key ids of the previous secrets
-- $6 bytea[]   nonces of the previous secrets
-- $7 bytea[]   ciphertexts of the previous secrets
-- $8 text[]    key ids of the secrets of receivers
-- $9 bytea[]   nonces of the secrets of receivers
-- $10 bytea[]  ciphertexts of the secrets of receivers
--
-- locks: webhooks
-- indexes: webhooks_pkey
UPDATE webhooks w SET secret_key_id = s.key_id, secret_nonce = s.nonce, secret_ciphertext = s.ciphertext,
  previous_secret_key_id = s.previous_key_id, previous_secret_nonce = s.previous_nonce,
  previous_secret_ciphertext = s.previous_ciphertext,
  previous_secret_until = CASE WHEN s.previous_key_id IS NOT NULL THEN w.previous_secret_until END,
  receiver_key_id = s.receiver_key_id, receiver_nonce = s.receiver_nonce,
  receiver_ciphertext = s.receiver_ciphertext
FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::bytea[], $7::bytea[], $8::text[],
    $9::bytea[], $10::bytea[])
  AS s (key, key_id, nonce, ciphertext, previous_key_id, previous_nonce, previous_ciphertext, receiver_key_id,
    receiver_nonce, receiver_ciphertext)
WHERE w.key = s.key
