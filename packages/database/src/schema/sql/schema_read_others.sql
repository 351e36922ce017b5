-- Reads the names of things that schema.sql does not show.
--
-- locks: none
-- indexes: none
SELECT format('%s %s', kind, name) AS text FROM (
  SELECT 'type', typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
  UNION ALL SELECT 'view', relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')
  UNION ALL SELECT 'extension', extname FROM pg_extension WHERE extname <> 'plpgsql'
) AS other (kind, name) ORDER BY kind, name COLLATE "C"
