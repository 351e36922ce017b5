-- Leases due mails. Mails that another worker is claiming are skipped; the lease of a worker that died ends.
--
-- $1 bigint            how many at most
-- $2 uuid              the name of the lease
-- $3 double precision  how long the lease lasts, in ms
--
-- locks: none (notifications are locked by nothing else)
-- indexes: notifications_pkey, notifications_state_due_at_idx, tenants_pkey
WITH due AS (
  SELECT id FROM notifications n
  WHERE state = 'waiting' AND mail_id = id AND due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
    AND NOT EXISTS (SELECT FROM tenants t WHERE t.id = n.tenant_id AND t.state <> 'active')
  ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE notifications n SET lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
FROM due WHERE n.id = due.id
RETURNING n.id, n.webhook_key AS "webhookKey", n.kind, n.recipient, n.attempts,
  (extract(epoch FROM now() - n.created_at) * 1000)::bigint AS "ageMs", n.lease_owner AS "leaseOwner"
