-- Reads the tables with columns, constraints and indexes, in the order and spelling of every version of PostgreSQL.
--
-- locks: none
-- indexes: none
SELECT t.relname AS name, pg_get_partkeydef(t.oid) AS "partitionedBy",
  (SELECT string_agg(option, ', ' ORDER BY option) FROM unnest(t.reloptions) AS option) AS settings,
  (SELECT array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      CASE WHEN a.attstorage <> y.typstorage THEN
        'STORAGE ' || (ARRAY['PLAIN', 'EXTERNAL', 'EXTENDED', 'MAIN'])[position(a.attstorage IN 'pexm')] END,
      CASE a.attcompression WHEN 'l' THEN 'COMPRESSION lz4' WHEN 'p' THEN 'COMPRESSION pglz' END,
      CASE WHEN a.attstattarget >= 0 THEN 'STATISTICS ' || a.attstattarget END,
      CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) ORDER BY a.attnum)
   FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
     LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
   WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT array_agg(format('CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid))
      ORDER BY position(c.contype IN 'pufc'), c.conname COLLATE "C")
   FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype <> 'n' AND c.conparentid = 0) AS constraints,
  (SELECT array_agg(replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), ' ON public.', ' ON ')
      ORDER BY x.relname COLLATE "C")
   FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
   WHERE i.indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.conrelid = t.oid)
  ) AS indexes
FROM pg_class t
WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND t.relname <> '_prisma_migrations'
ORDER BY t.relname COLLATE "C"
