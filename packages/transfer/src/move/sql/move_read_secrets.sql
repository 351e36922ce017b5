-- Reads all encrypted secrets of a tenant.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: signing_keys_pkey, webhooks_tenant_id_entity_type_id_key
SELECT guid, secret_key_id AS "keyId", secret_nonce AS nonce, secret_ciphertext AS ciphertext FROM webhooks
WHERE tenant_id = $1 AND secret_key_id <> ''
UNION ALL
SELECT guid, previous_secret_key_id, previous_secret_nonce, previous_secret_ciphertext FROM webhooks
WHERE tenant_id = $1 AND previous_secret_key_id IS NOT NULL
UNION ALL
SELECT guid, receiver_key_id, receiver_nonce, receiver_ciphertext FROM webhooks
WHERE tenant_id = $1 AND receiver_key_id IS NOT NULL
UNION ALL
SELECT id, key_id, nonce, ciphertext FROM signing_keys WHERE tenant_id = $1
UNION ALL
SELECT id, previous_key_id, previous_nonce, previous_ciphertext FROM signing_keys
WHERE tenant_id = $1 AND previous_key_id IS NOT NULL
