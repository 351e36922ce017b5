-- Deletes expired tokens of receivers. No token is used for more than a day, so tokens of webhooks that need no
-- token any more go within a day.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: receiver_tokens_pkey
DELETE FROM receiver_tokens WHERE webhook_key = ANY(ARRAY(
  SELECT webhook_key FROM receiver_tokens WHERE usable_until <= now() AND coalesce(fetching_until <= now(), true)
  LIMIT $1 FOR UPDATE SKIP LOCKED))
RETURNING 1
