-- Ends notifications that nobody could send for too long.
--
-- $1 double precision  the age at which a notification is no longer sent, in ms
-- $2 text              the error
--
-- locks: none (notifications are locked by nothing else)
-- indexes: notifications_state_due_at_idx
UPDATE notifications SET state = 'failed', last_error = $2
WHERE state = 'waiting' AND created_at <= now() - $1 * interval '1 millisecond' AND (lease_until IS NULL OR lease_until <= now())
RETURNING id
