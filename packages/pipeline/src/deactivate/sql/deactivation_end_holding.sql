-- Takes deactivated webhooks out of the episodes of their thresholds, since what they hold is being cancelled. Last in its
-- transaction: those that hold or release callouts write these rows last as well, and nobody waits in a circle.
--
-- $1 int[]     tenants
-- $2 text[]    entity types
-- $3 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: threshold_episode_webhooks_pkey
DELETE FROM threshold_episode_webhooks e USING unnest($1::int[], $2::text[], $3::bigint[])
  AS w (tenant_id, entity_type, webhook_key)
WHERE (e.tenant_id, e.entity_type, e.webhook_key) = (w.tenant_id, w.entity_type, w.webhook_key)
RETURNING e.webhook_key AS "webhookKey", e.held
