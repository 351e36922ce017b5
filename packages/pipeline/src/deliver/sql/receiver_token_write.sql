-- Stores a fetched token, encrypted, if the worker still has the right to fetch.
--
-- $1 bigint            key of the webhook
-- $2 uuid              the worker
-- $3 uuid              id of the token
-- $4 text              id of the key that encrypts
-- $5 bytea             nonce
-- $6 bytea             ciphertext
-- $7 double precision  how long the token is valid, in ms
--
-- locks: none (receiver_tokens is locked by nothing else)
-- indexes: receiver_tokens_pkey
UPDATE receiver_tokens SET token_id = $3, key_id = $4, nonce = $5, ciphertext = $6,
  usable_until = now() + $7 * interval '1 millisecond', fetcher = NULL, fetching_until = NULL
WHERE webhook_key = $1 AND fetcher = $2
