-- Locks the webhooks that a deleted resource owns, and webhooks that exclude the resource.
--
-- $1 int  tenant
-- $2 int  resource
--
-- locks: webhooks
-- indexes: webhook_excluded_resources_webhook_key_resource_id_key, webhooks_matching
SELECT w.key, w.owner_resource_id = $2 AND w.is_active AS "isOwned", x.webhook_key IS NOT NULL AS "excludesIt"
FROM webhooks w LEFT JOIN webhook_excluded_resources x ON x.webhook_key = w.key AND x.resource_id = $2
WHERE w.tenant_id = $1 AND w.deleted_at IS NULL
  AND (w.owner_resource_id = $2 AND w.is_active OR x.webhook_key IS NOT NULL)
ORDER BY w.key FOR NO KEY UPDATE OF w
