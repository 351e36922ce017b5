-- Reads the oldest notifications of mails, and how many there are.
--
-- $1 uuid[]  ids of the mails
-- $2 bigint  how many of each mail at most
--
-- locks: none
-- indexes: notifications_mail_id_idx
SELECT m.id AS "mailId", n.webhook_key AS "webhookKey", n.content, n.created_at AS "storedAt", a.count, a.webhooks
FROM unnest($1::uuid[]) AS m (id), LATERAL (
  SELECT count(*), count(DISTINCT webhook_key) AS webhooks FROM notifications WHERE mail_id = m.id
) AS a, LATERAL (
  SELECT webhook_key, content, created_at, id FROM notifications WHERE mail_id = m.id ORDER BY created_at, id LIMIT $2
) AS n ORDER BY n.created_at, n.id
