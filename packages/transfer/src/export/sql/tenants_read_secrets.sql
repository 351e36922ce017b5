-- Reads the encrypted secrets of the webhooks of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: webhooks_tenant_id_entity_type_id_key
SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext,
  receiver_key_id AS "receiverKeyId", receiver_nonce AS "receiverNonce", receiver_ciphertext AS "receiverCiphertext"
FROM webhooks WHERE tenant_id = $1 AND secret_key_id <> '' ORDER BY key
