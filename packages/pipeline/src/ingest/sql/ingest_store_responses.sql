-- Stores the responses to accepted requests.
--
-- $1 int[]    credentials
-- $2 text[]   routes
-- $3 text[]   keys
-- $4 bytea[]  SHA-256 of the requests
-- $5 int[]    statuses
-- $6 text[]   bodies
--
-- locks: none (claimed by this transaction)
-- indexes: idempotency_keys_pkey
UPDATE idempotency_keys i SET request_hash = k.request_hash, status = k.status, body = k.body
FROM unnest($1::int[], $2::text[], $3::text[], $4::bytea[], $5::int[], $6::text[])
  AS k (credential_id, route, key, request_hash, status, body)
WHERE (i.credential_id, i.route, i.key) = (k.credential_id, k.route, k.key)
