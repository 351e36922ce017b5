-- Finds marked tenants with data left, or with a row that can go.
--
-- $1 int  minutes for which the row of an erased tenant stays
--
-- locks: none
-- indexes: tenants_deleting
SELECT id, is_final AS "isFinal" FROM (
  SELECT id, erased_at, deleting_at < now() - $1::int * interval '1 minute' AS is_final
  FROM tenants WHERE deleting_at IS NOT NULL
) AS marked WHERE is_final OR erased_at IS NULL ORDER BY id
