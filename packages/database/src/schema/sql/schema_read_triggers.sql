-- Reads functions and triggers as SQL: functions first, since triggers name them.
--
-- locks: none
-- indexes: none
SELECT replace(text, ' ON public.', ' ON ') || ';' AS text FROM (
  SELECT 1, proname, '', replace(pg_get_functiondef(oid), 'FUNCTION public.', 'FUNCTION ') FROM pg_proc
  WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 2, tgname, tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
) AS one (place, name, of, text) ORDER BY place, name COLLATE "C", of COLLATE "C"
