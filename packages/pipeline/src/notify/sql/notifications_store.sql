-- Stores notifications for the recipients of webhooks, in the order of their keys, like everything that locks rows
-- of several webhooks. The address of a resource outlives the resource. Mailboxes that differ only by case are one
-- in practice.
--
-- $1 uuid[]    ids of the notifications for owners
-- $2 uuid[]    ids of the notifications for the other address of each webhook
-- $3 int[]     tenants
-- $4 bigint[]  keys of the webhooks
-- $5 text[]    kinds
-- $6 text[]    occasions
-- $7 json      facts, one object each
--
-- locks: none (the caller has the webhooks)
-- indexes: notifications_tenant_id_kind_mail_at_idx, resources_pkey, tenants_pkey, webhooks_pkey, zones_pkey
INSERT INTO notifications (id, tenant_id, webhook_key, kind, occasion, recipient, content)
SELECT to_whom.id, w.tenant_id, w.key, n.kind, n.occasion, to_whom.address, json_build_object(
  'webhook', json_build_object('id', w.id, 'guid', w.guid, 'name', w.name, 'entityType', w.entity_type,
    'webhookUrl', w.webhook_url, 'deliveryMode', w.delivery_mode,
    'deactivationUrl', w.deactivation_url, 'deactivationMode', w.deactivation_mode),
  'tenant', json_build_object('name', t.name, 'url', z.url,
    'isOneOfSeveral', EXISTS (SELECT FROM tenants o WHERE o.id <> t.id AND o.deleting_at IS NULL)),
  'facts', n.content)
FROM ROWS FROM (
  unnest($1::uuid[], $2::uuid[], $3::int[], $4::bigint[], $5::text[], $6::text[]),
  json_array_elements($7::json)
) AS n (owner_mail_id, other_mail_id, tenant_id, webhook_key, kind, occasion, content)
CROSS JOIN LATERAL (SELECT * FROM webhooks WHERE key = n.webhook_key OFFSET 0) AS w
JOIN tenants t ON t.id = w.tenant_id LEFT JOIN zones z ON z.id = t.zone_id
LEFT JOIN resources r ON (r.tenant_id, r.id) = (w.tenant_id, w.owner_resource_id)
CROSS JOIN LATERAL (VALUES
  (n.owner_mail_id, r.email),
  (n.other_mail_id, CASE WHEN lower(w.notification_email_address) IS DISTINCT FROM lower(r.email)
    THEN w.notification_email_address END)
) AS to_whom (id, address)
WHERE to_whom.address <> '' AND w.tenant_id = n.tenant_id AND w.deleted_at IS NULL
  AND (w.send_threshold_exceeded_notification OR n.kind NOT IN ('thresholdExceeded', 'caughtUp'))
  AND (w.is_active OR n.kind NOT IN ('caughtUp', 'failing', 'recovered'))
  AND NOT (n.kind = 'error' AND EXISTS (SELECT FROM notifications p
    WHERE p.webhook_key = w.key AND p.kind = 'error' AND p.created_at > now() - interval '24 hours'))
ORDER BY w.key
ON CONFLICT DO NOTHING
RETURNING id
