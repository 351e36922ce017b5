-- Reads occurrences in the order in which they happened: by the clock of the database, read under the locks of the
-- webhook.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: tenants_pkey, zones_pkey
SELECT o.id, o.tenant_id AS "tenantId", o.actor_resource_id AS "actorResourceId", o.occurred_at AS "occurredAt", o.content,
  z.url AS "zoneUrl"
FROM webhook_occurrences o JOIN tenants t ON t.id = o.tenant_id LEFT JOIN zones z ON z.id = t.zone_id
WHERE t.state = 'active' ORDER BY o.occurred_at, o.id LIMIT $1
