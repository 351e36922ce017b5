-- Ends the lease of a message that was not taken; the message is due again after a wait.
--
-- $1 uuid              id of the message
-- $2 uuid              its lease
-- $3 double precision  the wait, in ms
--
-- locks: none (operator_messages is locked by nothing else)
-- indexes: operator_messages_pkey
UPDATE operator_messages SET attempts = attempts + 1, lease_owner = NULL, lease_until = NULL,
  due_at = now() + $3 * interval '1 millisecond' WHERE id = $1 AND lease_owner = $2
