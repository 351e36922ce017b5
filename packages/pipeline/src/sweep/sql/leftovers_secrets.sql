-- Removes the secrets of deleted webhooks. The secrets sign the deactivation call, and nothing needs them
-- afterwards: a deleted webhook without an open call never has a call again. An empty key id means that the secret
-- is removed. Locked rows wait for the next round. Long values go with the secrets: the row stays for ever, and a
-- tenant may delete any number of webhooks.
--
-- $1 bigint  how many at most
--
-- locks: webhooks (skip locked)
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx, webhooks_pkey
WITH done AS (
  SELECT w.key FROM webhooks w
  WHERE w.deleted_at IS NOT NULL AND w.secret_key_id <> ''
    AND NOT EXISTS (SELECT FROM open_callouts o WHERE o.webhook_key = w.key)
  ORDER BY w.key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE webhooks w SET secret_key_id = '', secret_nonce = '', secret_ciphertext = '', previous_secret_key_id = NULL,
  previous_secret_nonce = NULL, previous_secret_ciphertext = NULL, previous_secret_until = NULL,
  receiver_key_id = NULL, receiver_nonce = NULL, receiver_ciphertext = NULL, certificate_expires_at = NULL,
  receiver_auth = '{"kind":"none"}', ca_certificate = NULL, condition = NULL
FROM done WHERE w.key = done.key
RETURNING w.key
