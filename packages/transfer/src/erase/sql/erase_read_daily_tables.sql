-- Reads the daily tables of history, detached ones included.
--
-- locks: none
-- indexes: none
SELECT relname AS name, left(relname, -9) AS parent, right(relname, 8) AS day FROM pg_class
WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r' AND relname ~ '_[0-9]{8}$'
ORDER BY right(relname, 8), relname
