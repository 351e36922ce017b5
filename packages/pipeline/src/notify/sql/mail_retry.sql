-- Makes a mail due that was refused or failed, whatever its age. A mail that a worker is sending is left alone, and
-- so is a mail of a tenant that is not served here.
--
-- $1 uuid  id of the mail
--
-- locks: none (notifications are locked by nothing else)
-- indexes: notifications_mail_id_idx, tenants_pkey
WITH mail AS (
  UPDATE notifications SET state = 'waiting', due_at = now(), sent_at = NULL
  WHERE id = $1 AND mail_id = id AND state IN ('waiting', 'refused', 'failed')
    AND (lease_until IS NULL OR lease_until <= now())
    AND coalesce((SELECT state FROM tenants WHERE id = tenant_id), 'active') = 'active'
  RETURNING id
), others AS (
  UPDATE notifications n SET state = 'waiting', due_at = now(), sent_at = NULL FROM mail
  WHERE n.mail_id = mail.id AND n.id <> mail.id
)
SELECT id FROM mail
