-- Reads the days of which a database has history.
--
-- locks: none
-- indexes: none
SELECT DISTINCT right(c.relname, 8) AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
WHERE c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$' AND c.relnamespace = quote_ident(current_schema())::regnamespace
ORDER BY 1
