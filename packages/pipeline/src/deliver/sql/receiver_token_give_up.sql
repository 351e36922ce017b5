-- Ends the right of a worker to fetch a token.
--
-- $1 bigint  key of the webhook
-- $2 uuid    the worker
--
-- locks: none (receiver_tokens is locked by nothing else)
-- indexes: receiver_tokens_pkey
UPDATE receiver_tokens SET fetcher = NULL, fetching_until = NULL WHERE webhook_key = $1 AND fetcher = $2
