-- Reads the URLs of webhooks, the secrets and private keys that sign their callouts, and what their requests carry
-- beside; of deleted webhooks too, whose last call may be open. With NULL there is no look-up in the index of signing
-- keys: webhooks that only their secret signs for read nothing there.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: signing_keys_pkey, webhooks_pkey
SELECT w.key AS "webhookKey", w.version AS "webhookVersion", w.tenant_id AS "tenantId", w.guid AS "webhookGuid",
  w.webhook_url AS "webhookUrl", w.deactivation_url AS "deactivationUrl",
  w.merge_while_waiting AS "mergesWhileWaiting", w.secret_key_id AS "keyId",
  w.secret_nonce AS nonce, w.secret_ciphertext AS ciphertext, w.previous_secret_key_id AS "previousKeyId",
  w.previous_secret_nonce AS "previousNonce", w.previous_secret_ciphertext AS "previousCiphertext",
  w.ca_certificate AS "caCertificate", w.receiver_key_id AS "receiverKeyId", w.receiver_nonce AS "receiverNonce",
  w.receiver_ciphertext AS "receiverCiphertext", w.signature_kind AS "signatureKind", k.id AS "signingId",
  k.key_id AS "signingKeyId", k.nonce AS "signingNonce", k.ciphertext AS "signingCiphertext",
  k.previous_key_id AS "previousSigningKeyId", k.previous_nonce AS "previousSigningNonce",
  k.previous_ciphertext AS "previousSigningCiphertext",
  CASE WHEN k.previous_until > now() THEN k.previous_until END AS "previousSigningUntil",
  CASE WHEN w.previous_secret_until > now() THEN w.previous_secret_until END AS "previousUntil"
FROM webhooks w
LEFT JOIN signing_keys k ON k.tenant_id = CASE WHEN w.signature_kind <> 'hmac' THEN w.tenant_id END
WHERE w.key = ANY($1::bigint[])
