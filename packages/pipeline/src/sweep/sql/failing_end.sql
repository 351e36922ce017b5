-- Ends the episodes of webhooks that have recovered or are inactive. A success removes the health of a webhook, and
-- a failure after the success creates another. A webhook that was deactivated meanwhile has not recovered, and its
-- people are notified of that.
--
-- locks: none (failing_episodes is locked by nothing else)
-- indexes: failing_episodes_pkey, webhook_health_pkey, webhooks_pkey
WITH over AS MATERIALIZED (
  SELECT e.webhook_key, coalesce(w.is_active AND w.deleted_at IS NULL
      AND (w.activated_at IS NULL OR w.activated_at <= e.told_at), false) AS has_recovered
  FROM failing_episodes e LEFT JOIN webhooks w ON w.key = e.webhook_key
  LEFT JOIN webhook_health h ON h.webhook_key = e.webhook_key
  WHERE (coalesce(NOT w.is_active OR w.deleted_at IS NOT NULL, true) OR h.failing_since IS NULL OR h.failing_since > e.since)
)
DELETE FROM failing_episodes e USING over WHERE e.webhook_key = over.webhook_key
RETURNING e.webhook_key AS "webhookKey", e.tenant_id AS "tenantId", e.since, coalesce(e.recovered_at, now()) AS until,
  over.has_recovered AS "hasRecovered"
