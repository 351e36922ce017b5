-- Removes the messages of an earlier test that the URL did not take.
--
-- locks: none (operator_messages is locked by nothing else)
-- indexes: none
DELETE FROM operator_messages WHERE alert LIKE 'test %'
