-- Removes previous secrets of webhooks whose overlap after a rotation is over. A row that a request is changing at
-- the moment is locked, and waits for the next round.
--
-- $1 bigint  how many at most
--
-- locks: webhooks (skip locked)
-- indexes: tenants_pkey, webhooks_pkey
WITH ended AS (
  SELECT key, tenant_id, previous_secret_until AS until FROM webhooks
  WHERE previous_secret_until <= now() AND deleted_at IS NULL AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active'
  ORDER BY key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE webhooks w SET previous_secret_key_id = NULL, previous_secret_nonce = NULL, previous_secret_ciphertext = NULL,
  previous_secret_until = NULL FROM ended WHERE w.key = ended.key
RETURNING w.key, ended.tenant_id AS "tenantId", ended.until
