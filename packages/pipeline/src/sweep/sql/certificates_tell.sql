-- Finds client certificates that expire, and notes which notice is sent: 30 days before, or 7 days before. Another
-- worker that looks at the same moment skips these rows, and rows that match has locked wait for the next round.
--
-- $1 bigint  how many at most
--
-- locks: webhooks (skip locked)
-- indexes: webhooks_pkey
WITH expiring AS MATERIALIZED (
  SELECT key, CASE WHEN certificate_expires_at <= now() + interval '7 days' THEN 7 ELSE 30 END AS days
  FROM webhooks
  WHERE certificate_expires_at <= now() + interval '30 days' AND is_active AND deleted_at IS NULL
    AND (certificate_told_days IS NULL
      OR (certificate_told_days > 7 AND certificate_expires_at <= now() + interval '7 days'))
  ORDER BY key LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE webhooks w SET certificate_told_days = e.days FROM expiring e WHERE w.key = e.key
RETURNING w.key AS "webhookKey", w.tenant_id AS "tenantId", w.certificate_expires_at AS "expiresAt", e.days
