-- Reads the number of pages of a table.
--
-- $1 text  name of the table, quoted
--
-- locks: none
-- indexes: none
SELECT pg_relation_size(to_regclass($1)) / current_setting('block_size')::int AS pages
