-- Counts the secrets that each encryption key has encrypted.
--
-- locks: none
-- indexes: none
SELECT key_id AS "keyId", count(*) AS secrets FROM (
  SELECT secret_key_id AS key_id FROM webhooks WHERE secret_key_id <> ''
  UNION ALL
  SELECT previous_secret_key_id FROM webhooks WHERE previous_secret_until > now()
  UNION ALL
  SELECT receiver_key_id FROM webhooks WHERE receiver_key_id IS NOT NULL
  UNION ALL
  SELECT key_id FROM signing_keys
  UNION ALL
  SELECT previous_key_id FROM signing_keys WHERE previous_until > now()
) AS encrypted GROUP BY key_id ORDER BY key_id
