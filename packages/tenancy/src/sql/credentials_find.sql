-- Finds what authentication compares, in the order of the user names that clients sent: the lock of the pair of name
-- and address, the credential with its resource and tenant, and the zone that serves the user.
--
-- $1 text[]   folded user names
-- $2 bytea[]  hashes of the user names
-- $3 text[]   addresses of the clients
--
-- locks: none
-- indexes: credentials_user_name_folded_key, resources_pkey, sign_in_failures_pkey, tenants_pkey, zone_users_pkey,
--   zones_pkey
SELECT coalesce(ceil(extract(epoch FROM f.expires_at - now())), 0)::int AS "lockedForS",
  c.id AS "credentialId", c.tenant_id AS "tenantId", c.resource_id AS "resourceId",
  c.api_integration_code AS "apiIntegrationCode", c.secret_hash AS "secretHash",
  c.secret_scrypt AS "secretScrypt", c.role,
  r.is_active AND r.deleted_at IS NULL AS "isResourceActive", r.can_create_webhooks AS "canCreateWebhooks",
  t.api_requests_per_hour AS "apiRequestsPerHour", t.state AS "tenantState", concat_ws(' ', c.xmin, r.xmin, t.xmin) AS version,
  z.name AS "zoneName", z.url AS "zoneUrl"
FROM (SELECT $1::text[] AS user_names, $2::bytea[] AS hashes, $3::text[] AS addresses OFFSET 0) AS asked,
  unnest(asked.user_names, asked.hashes, asked.addresses) WITH ORDINALITY AS s (user_name, user_name_hash, address, nth)
LEFT JOIN sign_in_failures f ON f.user_name_hash = s.user_name_hash AND f.address = s.address
  AND f.is_locked AND f.expires_at > now()
LEFT JOIN credentials c ON c.user_name_folded = s.user_name AND c.revoked_at IS NULL
LEFT JOIN resources r ON (r.tenant_id, r.id) = (c.tenant_id, c.resource_id)
LEFT JOIN tenants t ON t.id = c.tenant_id
LEFT JOIN zone_users u ON u.user_name_folded = s.user_name
LEFT JOIN zones z ON z.id = u.zone_id
ORDER BY s.nth
