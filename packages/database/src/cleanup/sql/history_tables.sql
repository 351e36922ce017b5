-- Reads the size of each table of history. Rows are as many as PostgreSQL has last counted.
--
-- locks: none
-- indexes: none
SELECT p.relname AS table, count(*) AS days, to_char(to_date(min(right(c.relname, 8)), 'YYYYMMDD'), 'YYYY-MM-DD') AS "oldestDay",
  sum(pg_total_relation_size(c.oid))::float8 AS bytes, sum(greatest(c.reltuples, 0))::float8 AS rows
FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhparent JOIN pg_class c ON c.oid = i.inhrelid
WHERE p.relnamespace = quote_ident(current_schema())::regnamespace AND p.relkind = 'p' AND c.relname ~ '_[0-9]{8}$'
GROUP BY p.relname ORDER BY bytes DESC
