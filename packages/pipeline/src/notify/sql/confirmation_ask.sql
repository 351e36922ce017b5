-- Asks for the confirmation of an address. The address of a resource needs no confirmation; an address that was
-- asked and has time left, or has agreed, is not asked again.
--
-- $1 int               tenant
-- $2 text              the address in lower case
-- $3 bytea             hash of the token in the link
-- $4 double precision  days for which the link is valid
-- $5 int               how often an address is asked at most
--
-- locks: none (mail_confirmations is locked by nothing else)
-- indexes: resources_pkey
INSERT INTO mail_confirmations AS c (tenant_id, address, token_hash, expires_at)
SELECT $1::int, $2::text, $3::bytea, now() + $4 * interval '1 day'
WHERE NOT EXISTS (SELECT FROM resources r WHERE r.tenant_id = $1 AND lower(r.email) = $2)
ON CONFLICT (tenant_id, address) DO UPDATE
  SET token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at, requests = c.requests + 1
  WHERE c.confirmed_at IS NULL AND c.expires_at <= now() AND c.requests < $5
RETURNING expires_at AS "expiresAt"
