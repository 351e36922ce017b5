-- Locks the windows of these tenants and entities, for a match that may lease what it stores: before it locks open
-- callouts, or it could hold one that a settlement needs while it waits for a window whose holder waits for that
-- settlement. Windows that are not there yet are none to wait for.
--
-- $1 int[]   tenants
-- $2 text[]  entity types
--
-- locks: threshold_windows
-- indexes: threshold_windows_pkey
SELECT FROM (SELECT * FROM unnest($1::int[], $2::text[]) AS g (tenant_id, entity_type) ORDER BY 1, 2) AS named,
LATERAL (
  SELECT FROM threshold_windows w WHERE (w.tenant_id, w.entity_type) = (named.tenant_id, named.entity_type) FOR UPDATE
) AS w
