-- Stores the content under which an eventID was accepted, where it is not the content it was claimed with.
--
-- $1 int[]    tenants
-- $2 text[]   eventIDs
-- $3 bytea[]  SHA-256 of their content
--
-- locks: none (claimed by this transaction)
-- indexes: event_keys_pkey
UPDATE event_keys k SET content_hash = c.content_hash
FROM unnest($1::int[], $2::text[], $3::bytea[]) AS c (tenant_id, event_key, content_hash)
WHERE (k.tenant_id, k.event_key) = (c.tenant_id, c.event_key)
