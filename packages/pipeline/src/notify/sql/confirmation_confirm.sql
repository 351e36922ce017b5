-- Confirms the address of a link that is still valid.
--
-- $1 bytea  hash of the token in the link
--
-- locks: none (mail_confirmations is locked by nothing else)
-- indexes: mail_confirmations_token_hash_key
UPDATE mail_confirmations SET confirmed_at = coalesce(confirmed_at, now())
WHERE token_hash = $1 AND (expires_at > now() OR confirmed_at IS NOT NULL) RETURNING tenant_id AS "tenantId"
