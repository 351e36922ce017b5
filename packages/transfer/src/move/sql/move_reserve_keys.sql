-- Reserves keys of a table.
--
-- $1 text  table
-- $2 text  column of the keys
-- $3 int   number of keys
--
-- locks: none
-- indexes: none
SELECT nextval(pg_get_serial_sequence($1, $2))::text AS key FROM generate_series(1, $3) ORDER BY 1::bigint
