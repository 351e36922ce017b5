-- Removes a message that was sent, or is too old.
--
-- $1 uuid  id of the message
-- $2 uuid  its lease
--
-- locks: none (operator_messages is locked by nothing else)
-- indexes: operator_messages_pkey
DELETE FROM operator_messages WHERE id = $1 AND lease_owner = $2
