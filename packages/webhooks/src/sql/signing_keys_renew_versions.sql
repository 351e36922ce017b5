-- Gives a new version to all webhooks that sign with the keys of a tenant. A worker keeps the keys of a webhook for as
-- long as callouts name its version; a deleted webhook has a call to sign.
--
-- $1 int  tenant
--
-- locks: webhooks
-- indexes: webhooks_pkey, webhooks_tenant_id_entity_type_id_key
WITH signed AS (
  SELECT key FROM webhooks WHERE tenant_id = $1 AND signature_kind <> 'hmac' AND secret_key_id <> ''
  ORDER BY key FOR NO KEY UPDATE
)
UPDATE webhooks w SET version = w.version + 1, updated_at = now() FROM signed WHERE w.key = signed.key
RETURNING w.key, w.deleted_at IS NOT NULL AS "isDeleted"
