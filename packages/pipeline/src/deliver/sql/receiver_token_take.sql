-- Takes the right to fetch the token of a receiver, or reads a token that another worker has fetched. A webhook has
-- one row, written by one statement at a time: the worker that gets `is_mine` may fetch until `fetching_until`.
--
-- $1 bigint            key of the webhook
-- $2 uuid              id of the authentication of the token
-- $3 uuid              a token that the receiver refused; null: no token
-- $4 uuid              the worker
-- $5 double precision  how long the right lasts, in ms
--
-- locks: none (receiver_tokens is locked by nothing else)
-- indexes: receiver_tokens_pkey
WITH mine AS (
  INSERT INTO receiver_tokens AS t (webhook_key, auth_id, fetcher, fetching_until)
  VALUES ($1, $2, $4, now() + $5 * interval '1 millisecond')
  ON CONFLICT (webhook_key) DO UPDATE SET auth_id = excluded.auth_id, fetcher = excluded.fetcher,
    fetching_until = excluded.fetching_until,
    token_id = CASE WHEN t.auth_id = excluded.auth_id THEN t.token_id END
  WHERE t.auth_id <> excluded.auth_id
    OR ((t.token_id IS NULL OR t.token_id = $3 OR t.usable_until <= now())
      AND (t.fetching_until IS NULL OR t.fetching_until <= now()))
  RETURNING webhook_key
)
SELECT EXISTS (SELECT FROM mine) AS "isMine", t.token_id AS id, t.key_id AS "keyId", t.nonce, t.ciphertext,
  (extract(epoch FROM t.usable_until - now()) * 1000)::float8 AS "usableMs"
FROM (VALUES (1)) AS one LEFT JOIN receiver_tokens t ON t.webhook_key = $1 AND t.auth_id = $2
  AND t.token_id IS DISTINCT FROM $3 AND t.usable_until > now()
