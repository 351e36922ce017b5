-- Whether there is an occurrence to make an event of.
--
-- locks: none
-- indexes: tenants_pkey
SELECT o.id FROM webhook_occurrences o JOIN tenants t ON t.id = o.tenant_id WHERE t.state = 'active' LIMIT 1
