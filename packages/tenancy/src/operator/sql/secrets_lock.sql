-- Locks webhooks with a secret that an earlier key has encrypted.
--
-- $1 bigint  key of the last webhook that was read
-- $2 text    id of the present key
-- $3 bigint  most webhooks
--
-- locks: webhooks
-- indexes: webhooks_pkey
SELECT key, tenant_id AS "tenantId", guid AS "webhookGuid", secret_key_id AS "keyId", secret_nonce AS nonce,
  secret_ciphertext AS ciphertext,
  CASE WHEN previous_secret_until > now() THEN previous_secret_key_id END AS "previousKeyId",
  previous_secret_nonce AS "previousNonce", previous_secret_ciphertext AS "previousCiphertext",
  receiver_key_id AS "receiverKeyId", receiver_nonce AS "receiverNonce", receiver_ciphertext AS "receiverCiphertext"
FROM webhooks
WHERE key > $1 AND secret_key_id <> ''
  AND (secret_key_id <> $2 OR previous_secret_key_id <> $2 OR receiver_key_id <> $2)
ORDER BY key LIMIT $3 FOR NO KEY UPDATE
