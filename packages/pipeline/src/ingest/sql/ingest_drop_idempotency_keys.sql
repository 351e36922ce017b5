-- Frees the Idempotency-Keys of refused requests.
--
-- $1 int[]   credentials
-- $2 text[]  routes
-- $3 text[]  keys
--
-- locks: none (claimed by this transaction)
-- indexes: idempotency_keys_pkey
DELETE FROM idempotency_keys i USING unnest($1::int[], $2::text[], $3::text[]) AS k (credential_id, route, key)
WHERE (i.credential_id, i.route, i.key) = (k.credential_id, k.route, k.key)
