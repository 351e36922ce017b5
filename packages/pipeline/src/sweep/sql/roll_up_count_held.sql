-- Stores the number of held callouts of each webhook for a minute, once: a later read would be of another moment.
--
-- $1 timestamptz  the minute
--
-- locks: none
-- indexes: open_callouts_held_by_webhook, webhooks_pkey
INSERT INTO delivery_minutes AS d (webhook_key, minute, tenant_id, entity_type, held)
SELECT w.key, $1, w.tenant_id, w.entity_type, h.held
FROM (SELECT webhook_key, count(*)::int AS held FROM open_callouts WHERE state = 'held' GROUP BY webhook_key) AS h
JOIN webhooks w ON w.key = h.webhook_key
ON CONFLICT (webhook_key, minute) DO UPDATE SET held = EXCLUDED.held WHERE d.held IS NULL
