-- Counts the first attempts of a tenant and entity in the last hour by the minute.
--
-- $1 int   tenant
-- $2 text  entity type
--
-- locks: none
-- indexes: threshold_use_pkey, threshold_windows_pkey
SELECT (extract(epoch FROM date_trunc('second', now()) - counted.second)::int / 60) AS "minutesAgo", sum(counted.used)::int AS used
FROM (
  SELECT second, used FROM threshold_use WHERE (tenant_id, entity_type) = ($1, $2)
  UNION ALL
  SELECT second, second_used FROM threshold_windows WHERE (tenant_id, entity_type) = ($1, $2) AND second IS NOT NULL
) AS counted
WHERE counted.second > date_trunc('second', now()) - interval '3600 seconds'
GROUP BY 1
