-- Everything that a commit has to know before the decision, in one statement, whose parts run in their order:
-- 1. Claims eventIDs that are free; an expired eventID is taken over in place.
-- 2. Locks the existing records and reads the known values. Other records are new: ingest_store inserts them.
-- 3. Returns the authentications that are no longer valid, and the tenants of requests without authentication that are
--    not served here. A move waits for the transactions that did not see the move (packages/transfer/src/move/gate.ts).
-- Each part is sorted, so that commits that need the same rows wait for each other instead of deadlocking.
--
-- $1 int[]     tenants of eventIDs
-- $2 text[]    eventIDs
-- $3 uuid[]    ids of the events that have them
-- $4 bytea[]   SHA-256 of their content
-- $5 int[]     tenants of records
-- $6 text[]    entity types
-- $7 bigint[]  records
-- $8 text[]    user names of authentications, in lower case
-- $9 bytea[]   SHA-256 of the user names
-- $10 text[]   client addresses of the authentications
-- $11 text[]   versions of the authentications, as credentials_find returns them
-- $12 int[]    tenants of requests without an authentication
--
-- locks: event_keys, records (no key update)
-- indexes: records_pkey, credentials_user_name_folded_key, resources_pkey, tenants_pkey, sign_in_failures_pkey
WITH claimed AS (
  INSERT INTO event_keys (tenant_id, event_key, event_id, content_hash)
  SELECT * FROM unnest($1::int[], $2::text[], $3::uuid[], $4::bytea[]) AS k (tenant_id, event_key, event_id, content_hash)
  ORDER BY tenant_id, event_key
  ON CONFLICT (tenant_id, event_key) DO UPDATE
    SET event_id = excluded.event_id, content_hash = excluded.content_hash, accepted_at = excluded.accepted_at
    WHERE event_keys.accepted_at < now() - interval '24 hours'
  RETURNING tenant_id, event_key
), locked AS (
  SELECT r.* FROM (
    SELECT * FROM unnest($5::int[], $6::text[], $7::bigint[]) AS k (tenant_id, entity_type, id) ORDER BY 1, 2, 3
  ) AS k, LATERAL (
    SELECT tenant_id, entity_type, id, version, fields, udf_fields, deleted_at IS NOT NULL AS is_deleted FROM records
    WHERE (tenant_id, entity_type, id) = (k.tenant_id, k.entity_type, k.id) FOR NO KEY UPDATE
  ) AS r
)
SELECT 'claimedEventKey' AS kind, event_key, NULL::int AS nth, tenant_id, NULL AS entity_type, NULL::bigint AS id,
  NULL::bigint AS version, NULL::jsonb AS fields, NULL::jsonb AS udf_fields, NULL::bool AS is_deleted
FROM claimed
UNION ALL
SELECT 'record', NULL, NULL, tenant_id, entity_type, id, version, fields, udf_fields, is_deleted FROM locked
UNION ALL
SELECT 'staleAuthentication', NULL, s.nth::int, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM unnest($8::text[], $9::bytea[], $10::text[], $11::text[]) WITH ORDINALITY
  AS s (user_name, user_name_hash, address, version, nth)
WHERE s.version IS DISTINCT FROM (
  SELECT concat_ws(' ', c.version, r.xmin, t.xmin) FROM (
    SELECT xmin AS version, tenant_id, resource_id FROM credentials
    WHERE user_name_folded = s.user_name AND revoked_at IS NULL OFFSET 0
  ) AS c
  JOIN resources r ON (r.tenant_id, r.id) = (c.tenant_id, c.resource_id) JOIN tenants t ON t.id = c.tenant_id
) OR (
  SELECT f.is_locked AND f.expires_at > now() FROM sign_in_failures f
  WHERE (f.user_name_hash, f.address) = (s.user_name_hash, s.address)
)
UNION ALL
SELECT 'movingTenant', NULL, NULL, t.id, NULL, NULL, NULL, NULL, NULL, NULL FROM tenants t
WHERE t.id = ANY($12::int[]) AND t.state <> 'active'
