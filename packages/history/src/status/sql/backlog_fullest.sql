-- Reads the webhooks with most open callouts.
--
-- $1 bigint  most webhooks
--
-- locks: none
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx, tenants_pkey, webhook_health_pkey,
--   webhooks_pkey
SELECT w.tenant_id AS "tenantID", t.name AS "tenantName", w.entity_type AS "entityType", w.id AS "webhookID", w.name,
  w.is_active AS "isActive", o.open AS "openCallouts", CASE WHEN h.pauses > 0 THEN h.paused_until END AS "pausedUntilDateTime",
  h.last_failure AS "lastFailure"
FROM (SELECT webhook_key, count(*) AS open FROM open_callouts GROUP BY webhook_key ORDER BY 2 DESC, 1 LIMIT $1) AS o
JOIN webhooks w ON w.key = o.webhook_key JOIN tenants t ON t.id = w.tenant_id
  LEFT JOIN webhook_health h ON h.webhook_key = o.webhook_key
ORDER BY o.open DESC, o.webhook_key
