-- Stores occurrences of webhooks whose tenant has an active webhook on `WebhookHealth`; other tenants pay one look
-- at an index. A webhook on `WebhookHealth` is never watched: what is sent about webhooks can so make no further
-- event, however the receivers behave.
--
-- $1 uuid[]    ids of the occurrences
-- $2 bigint[]  keys of the webhooks
-- $3 text[]    kinds of the occurrences
-- $4 text[]    subjects
-- $5 int[]     the resources that caused them; null: Callout
-- $6 json      facts, one object each
--
-- locks: none (the caller has the webhooks)
-- indexes: webhooks_matching, webhooks_pkey
INSERT INTO webhook_occurrences (id, tenant_id, actor_resource_id, content)
SELECT n.id, w.tenant_id, n.actor_resource_id, json_build_object(
  'occurrence', n.occurrence, 'subject', n.subject,
  'webhook', json_build_object('guid', w.guid, 'entityType', w.entity_type, 'id', w.id, 'name', w.name,
    'url', w.webhook_url, 'state', CASE WHEN w.deleted_at IS NOT NULL THEN 'deleted' WHEN NOT w.is_active THEN 'inactive'
      WHEN EXISTS (SELECT FROM webhook_health h WHERE h.webhook_key = w.key AND h.pauses > 0) THEN 'paused'
      ELSE 'active' END),
  'facts', n.facts)
FROM ROWS FROM (
  unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::int[]), json_array_elements($6::json)
) WITH ORDINALITY AS n (id, webhook_key, occurrence, subject, actor_resource_id, facts, nth)
CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE key = n.webhook_key OFFSET 0) AS w
WHERE w.entity_type <> 'WebhookHealth' AND EXISTS (SELECT FROM webhooks h
  WHERE (h.tenant_id, h.entity_type) = (w.tenant_id, 'WebhookHealth') AND h.is_active AND h.deleted_at IS NULL)
ORDER BY n.nth
