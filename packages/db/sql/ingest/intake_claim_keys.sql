-- Claims eventIDs that are free; one that has expired is taken over in place. Sorted, so that two requests that name
-- the same keys wait for each other instead of deadlocking.
--
-- $1 int[]    tenants
-- $2 text[]   eventIDs
-- $3 uuid[]   ids of the events that bear them
-- $4 bytea[]  SHA-256 of their content
--
-- locks: event_keys
-- indexes: none
INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash)
SELECT * FROM unnest($1::int[], $2::text[], $3::uuid[], $4::bytea[]) AS k (tenant_id, event_key, event_id, content_hash)
ORDER BY tenant_id, event_key
ON CONFLICT (tenant_id, event_key) DO UPDATE
  SET event_id = excluded.event_id, content_hash = excluded.content_hash, accepted_at = excluded.accepted_at
  WHERE event_keys.accepted_at < now() - interval '24 hours'
RETURNING tenant_id, event_key
