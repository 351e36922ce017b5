-- Reads the responses that are stored under Idempotency-Keys, and of a key that belongs to another request only that.
--
-- $1 int[]    credentials
-- $2 text[]   routes
-- $3 text[]   keys
-- $4 bytea[]  SHA-256 of the requests; null: the response is read in any case
--
-- locks: none
-- indexes: idempotency_keys_pkey
SELECT k.nth::int, a.request_hash, a.status, CASE WHEN k.hash IS NULL OR k.hash = a.request_hash THEN a.body END AS body
FROM unnest($1::int[], $2::text[], $3::text[], $4::bytea[]) WITH ORDINALITY AS k (credential_id, route, key, hash, nth),
LATERAL (
  SELECT request_hash, status, body FROM idempotency_keys
  WHERE (credential_id, route, key) = (k.credential_id, k.route, k.key)
    AND created_at > now() - interval '24 hours' OFFSET 0
) AS a
