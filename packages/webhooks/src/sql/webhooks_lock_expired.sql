-- Locks webhooks whose time is over, and that no other worker is deleting.
--
-- $1 bigint  how many at most
--
-- locks: webhooks (skip locked)
-- indexes: tenants_pkey
SELECT key, to_jsonb(w) AS row FROM webhooks w WHERE expires_at <= now() AND expires_at IS NOT NULL AND deleted_at IS NULL
  AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' ORDER BY key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
