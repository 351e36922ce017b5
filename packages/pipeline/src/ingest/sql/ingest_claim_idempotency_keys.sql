-- Claims the Idempotency-Keys that are free; one that has expired is taken over in place. Sorted, so that two commits
-- that name the same keys wait for each other instead of deadlocking. The second one waits here until the first has
-- committed, and then finds its answer.
--
-- $1 int[]    credentials
-- $2 text[]   routes: method and path
-- $3 text[]   keys
-- $4 bytea[]  SHA-256 of the requests
--
-- locks: idempotency_keys
-- indexes: none
INSERT INTO idempotency_keys (credential_id, route, key, request_hash, status, body)
SELECT credential_id, route, key, request_hash, 0, ''
FROM unnest($1::int[], $2::text[], $3::text[], $4::bytea[]) AS k (credential_id, route, key, request_hash)
ORDER BY credential_id, route, key
ON CONFLICT (credential_id, route, key) DO UPDATE
  SET request_hash = excluded.request_hash, created_at = excluded.created_at
  WHERE idempotency_keys.created_at <= now() - interval '24 hours'
RETURNING credential_id, route, key
