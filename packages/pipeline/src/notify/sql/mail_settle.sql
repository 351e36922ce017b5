-- Stores the outcome of sending a mail, for all of its notifications, if the worker still has the lease.
--
-- $1 uuid              id of the mail
-- $2 uuid              its lease
-- $3 text              the state: waiting, sent, refused or failed
-- $4 text              the error; null: none
-- $5 double precision  the wait before another try, in ms
--
-- locks: none (notifications are locked by nothing else)
-- indexes: notifications_mail_id_idx, notifications_state_due_at_idx
WITH settled AS (
  UPDATE notifications SET state = $3, last_error = $4, attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
    due_at = CASE WHEN $3 = 'waiting' THEN now() + $5 * interval '1 millisecond' ELSE due_at END,
    sent_at = CASE WHEN $3 = 'sent' THEN now() END
  WHERE id = $1 AND lease_owner = $2 AND state = 'waiting'
  RETURNING id, state, last_error, attempts, sent_at
), others AS (
  UPDATE notifications n SET state = s.state, last_error = s.last_error, attempts = s.attempts, sent_at = s.sent_at
  FROM settled s WHERE n.mail_id = s.id AND n.id <> s.id
)
SELECT id FROM settled
