-- Finds a webhook by its public id. A deleted webhook is found as long as its deactivation call can be fetched, or
-- one of its callouts acknowledged.
--
-- $1 int   tenant
-- $2 text  entity type
-- $3 int   id of the webhook in its entity
--
-- locks: none
-- indexes: open_callouts_calls, pull_leases_open, webhooks_tenant_id_entity_type_id_key
SELECT w.key AS "webhookKey", w.is_active AS "isActive", w.delivery_mode = 'pull' AS "isPulled",
  w.deactivation_mode = 'pull' AS "isDeactivationPulled"
FROM webhooks w WHERE (w.tenant_id, w.entity_type, w.id) = ($1, $2, $3)
  AND (w.deleted_at IS NULL OR w.deactivation_mode = 'pull' AND EXISTS (
    SELECT FROM open_callouts o WHERE o.webhook_key = w.key AND o.kind <> 'event')
    OR EXISTS (SELECT FROM pull_leases p WHERE p.webhook_key = w.key AND p.outcome IS NULL))
