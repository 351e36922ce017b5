-- Reads eventIDs that were claimed before.
--
-- $1 int[]   tenants
-- $2 text[]  eventIDs
--
-- locks: none
-- indexes: event_keys_pkey
SELECT tenant_id, event_key, event_id, content_hash FROM event_keys
WHERE (tenant_id, event_key) IN (SELECT * FROM unnest($1::int[], $2::text[]))
