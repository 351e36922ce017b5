-- Removes previous signing keys of tenants whose overlap after a rotation is over. A row that a request is changing
-- at the moment is locked, and waits for the next round.
--
-- $1 bigint  how many at most
--
-- locks: signing_keys (skip locked)
-- indexes: signing_keys_pkey, tenants_pkey
WITH ended AS (
  SELECT tenant_id, previous_public_key, previous_until AS until FROM signing_keys
  WHERE previous_until <= now() AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' ORDER BY tenant_id LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE signing_keys k SET previous_public_key = NULL, previous_created_at = NULL, previous_key_id = NULL,
  previous_nonce = NULL, previous_ciphertext = NULL, previous_until = NULL FROM ended WHERE k.tenant_id = ended.tenant_id
RETURNING ended.tenant_id AS "tenantId", ended.previous_public_key AS "publicKey", ended.until
