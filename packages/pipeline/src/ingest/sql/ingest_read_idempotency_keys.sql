-- Reads the responses that are stored under Idempotency-Keys.
--
-- $1 int[]   credentials
-- $2 text[]  routes
-- $3 text[]  keys
--
-- locks: none
-- indexes: idempotency_keys_pkey
SELECT a.* FROM unnest($1::int[], $2::text[], $3::text[]) AS k (credential_id, route, key), LATERAL (
  SELECT credential_id, route, key, request_hash, status, body FROM idempotency_keys
  WHERE (credential_id, route, key) = (k.credential_id, k.route, k.key)
    AND created_at > now() - interval '24 hours' OFFSET 0
) AS a
