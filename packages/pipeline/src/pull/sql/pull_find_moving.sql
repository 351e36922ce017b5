-- Finds the webhooks among some whose tenant is not served here.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: tenants_pkey, webhooks_pkey
SELECT w.key FROM webhooks w JOIN tenants t ON t.id = w.tenant_id
WHERE w.key = ANY($1::bigint[]) AND t.state <> 'active'
