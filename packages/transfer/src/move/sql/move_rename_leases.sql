-- Renames all leases of a tenant. A later result finds no lease; an acknowledgement counts in the other zone.
--
-- $1 int  tenant
--
-- locks: open_callouts
-- indexes: open_callouts_pkey, pull_leases_open, webhooks_tenant_id_entity_type_id_key
WITH leases AS (
  SELECT callout_id, lease_owner, gen_random_uuid() AS made FROM open_callouts
  WHERE webhook_key = ANY(ARRAY(SELECT key FROM webhooks WHERE tenant_id = $1)) AND lease_owner IS NOT NULL
  ORDER BY callout_id FOR NO KEY UPDATE
), renamed AS (
  UPDATE open_callouts o SET lease_owner = l.made FROM leases l WHERE o.callout_id = l.callout_id
)
UPDATE pull_leases p SET lease_owner = l.made FROM leases l
WHERE p.tenant_id = $1 AND p.callout_id = l.callout_id AND p.lease_owner = l.lease_owner AND p.outcome IS NULL
