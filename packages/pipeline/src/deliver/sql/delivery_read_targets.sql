-- Reads the URLs of webhooks, the secrets that sign their callouts, and what their requests carry beside; of deleted
-- webhooks too, whose last call may be open.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: webhooks_pkey
SELECT w.key AS "webhookKey", w.version AS "webhookVersion", w.tenant_id AS "tenantId", w.guid AS "webhookGuid",
  w.webhook_url AS "webhookUrl", w.deactivation_url AS "deactivationUrl",
  w.merge_while_waiting AS "mergesWhileWaiting", w.secret_key_id AS "keyId",
  w.secret_nonce AS nonce, w.secret_ciphertext AS ciphertext, w.previous_secret_key_id AS "previousKeyId",
  w.previous_secret_nonce AS "previousNonce", w.previous_secret_ciphertext AS "previousCiphertext",
  w.ca_certificate AS "caCertificate", w.receiver_key_id AS "receiverKeyId", w.receiver_nonce AS "receiverNonce",
  w.receiver_ciphertext AS "receiverCiphertext",
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousUntil"
FROM webhooks w WHERE w.key = ANY($1::bigint[])
