-- Since when no mail was sent, although mails were tried.
--
-- $1 double precision  for how long at least, in ms
--
-- locks: none
-- indexes: notifications_state_due_at_idx
SELECT min(mail_at) AS since, count(*), (array_agg(last_error ORDER BY due_at DESC))[1] AS "lastError"
FROM notifications n WHERE state = 'waiting' AND mail_id = id AND attempts > 0
  AND NOT EXISTS (SELECT FROM notifications s WHERE s.state = 'sent' AND s.sent_at >= n.mail_at)
HAVING min(mail_at) <= now() - $1 * interval '1 millisecond'
