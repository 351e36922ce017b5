-- Reads the partitions that were dropped last.
--
-- $1 bigint  most partitions
--
-- locks: none
-- indexes: none
SELECT name, dropped_at AS "dropDateTime" FROM dropped_partitions ORDER BY dropped_at DESC, name LIMIT $1
