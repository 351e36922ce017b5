-- Stores the mail that asks for a confirmation.
--
-- $1 uuid  id of the notification
-- $2 int   tenant
-- $3 text  occasion
-- $4 text  the address
-- $5 json  facts of the mail
--
-- locks: none
-- indexes: tenants_pkey, zones_pkey
INSERT INTO notifications (id, tenant_id, kind, occasion, recipient, content)
SELECT $1, t.id, 'confirmation', $3, $4, json_build_object(
  'tenant', json_build_object('name', t.name, 'url', z.url), 'facts', $5::json)
FROM tenants t LEFT JOIN zones z ON z.id = t.zone_id WHERE t.id = $2
