-- Frees the eventIDs of refused requests.
--
-- $1 int[]   tenants
-- $2 text[]  eventIDs
--
-- locks: none (claimed by this transaction)
-- indexes: event_keys_pkey
DELETE FROM event_keys WHERE (tenant_id, event_key) IN (SELECT * FROM unnest($1::int[], $2::text[]))
