-- Moves the end of a webhook that ends when nobody fetches its callouts.
--
-- $1 bigint            key of the webhook
-- $2 double precision  how long the webhook lives from now on, in ms
--
-- locks: none (one row)
-- indexes: none
UPDATE webhooks SET expires_at = now() + $2::double precision * interval '1 millisecond'
WHERE key = $1 AND deleted_at IS NULL RETURNING tenant_id AS "tenantId"
