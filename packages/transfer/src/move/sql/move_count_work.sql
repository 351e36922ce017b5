-- Counts the work of a tenant under way, in one snapshot: a match that ends leaves leases. Callouts that programs have
-- fetched do not count.
--
-- $1 int  tenant
--
-- locks: none
-- indexes: notifications_tenant_id_kind_mail_at_idx,
--   pending_events_tenant_id_entity_type_record_id_record_versi_idx, pull_leases_open,
--   webhooks_tenant_id_entity_type_id_key
SELECT
  (SELECT count(*)::int FROM pending_events WHERE tenant_id = $1) AS pending,
  (SELECT count(*)::int FROM open_callouts o
   WHERE o.webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND o.lease_until > now()
     AND NOT EXISTS (SELECT FROM pull_leases p
       WHERE p.webhook_key = o.webhook_key AND p.callout_id = o.callout_id AND p.outcome IS NULL)) AS leased,
  (SELECT count(*)::int FROM notifications WHERE tenant_id = $1 AND lease_until > now()) AS mails
