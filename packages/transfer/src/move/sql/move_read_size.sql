-- Reads the size of a table with all partitions. Rows are as many as PostgreSQL has last counted.
--
-- $1 text  name of the table
--
-- locks: none
-- indexes: none
SELECT coalesce(sum(pg_table_size(c.oid)), 0)::float8 AS bytes, coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
FROM pg_class c WHERE c.relkind = 'r' AND c.oid IN (
  SELECT relid FROM pg_partition_tree(to_regclass($1)) UNION SELECT to_regclass($1))
