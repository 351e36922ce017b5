-- Reads the columns of a table, and which of them are the primary key.
--
-- $1 text  name of the table
--
-- locks: none
-- indexes: none
SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
  coalesce(a.attnum = ANY(i.indkey), false) AS "isKey"
FROM pg_attribute a LEFT JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
