-- Reads the daily tables of history. Tables are found by name and not by attachment, since an interrupted round leaves
-- detached tables.
--
-- locks: none
-- indexes: none
SELECT c.relname AS name, CASE WHEN i.inhrelid IS NULL THEN 'detached' WHEN i.inhdetachpending THEN 'detaching'
  ELSE 'attached' END AS state
FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$'
ORDER BY right(c.relname, 8)
