-- Finds the first few used user names.
--
-- $1 text[]  folded user names
--
-- locks: none
-- indexes: credentials_user_name_folded_key
SELECT user_name AS name FROM credentials WHERE user_name_folded = ANY($1::text[]) ORDER BY user_name LIMIT 5
