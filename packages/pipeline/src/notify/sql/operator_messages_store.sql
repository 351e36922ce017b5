-- Stores a message for the URL of the operators.
--
-- $1 uuid  id of the message
-- $2 text  the alert
-- $3 json  the message
--
-- locks: none (operator_messages is locked by nothing else)
-- indexes: none
INSERT INTO operator_messages (id, alert, content) VALUES ($1, $2, $3)
