-- Finds a held callout of a tenant and entity; others may have many. Bounds in place of `=`: see STATEMENTS.md.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none
-- indexes: open_callouts_held
SELECT callout_id AS id FROM open_callouts WHERE (tenant_id, entity_type) >= ($1, $2) AND (tenant_id, entity_type) <= ($1, $2) AND state = 'held'
ORDER BY tenant_id, entity_type, callout_id LIMIT 1
