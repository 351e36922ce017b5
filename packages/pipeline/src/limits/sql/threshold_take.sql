-- Counts as many first attempts as the thresholds of their tenant and entity allow. One statement, since every claim
-- runs it: it drops the seconds older than the hour (3,600 with the present one), grants from what is left, and counts
-- what it granted: of the present second in the window itself, which the first count of a later one moves to
-- threshold_use. While callouts of the group are held nothing is granted, since a new one must not overtake them. All
-- windows are locked first and in their order; seconds are only deleted under the lock of their window. The commit does
-- not wait for the disk: a crashing server loses part of the count of one second. match_store counts without dropping
-- anything, where there is enough capacity without it.
--
-- $1 int[]   tenants
-- $2 text[]  entity types
-- $3 int[]   how many first attempts
-- $4 int[]   the threshold of each
--
-- locks: threshold_windows
-- indexes: threshold_use_pkey, threshold_windows_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), asked AS MATERIALIZED (
  SELECT a.* FROM unnest($1::int[], $2::text[], $3::int[], $4::int[]) AS a (tenant_id, entity_type, wanted, most)
  ORDER BY a.tenant_id, a.entity_type
), locked AS MATERIALIZED (
  SELECT asked.*, w.* FROM asked, LATERAL (
    SELECT used, episode_started_at, second AS past_second, second_used AS past_used FROM threshold_windows
    WHERE (tenant_id, entity_type) = (asked.tenant_id, asked.entity_type) FOR UPDATE
  ) AS w
), past AS MATERIALIZED (
  SELECT locked.tenant_id, locked.entity_type, u.second FROM locked, LATERAL (
    SELECT second FROM threshold_use
    WHERE (tenant_id, entity_type) = (locked.tenant_id, locked.entity_type)
      AND second <= date_trunc('second', now()) - interval '3600 seconds' OFFSET 0
  ) AS u
), dropped AS (
  DELETE FROM threshold_use u USING past
  WHERE (u.tenant_id, u.entity_type, u.second) = (past.tenant_id, past.entity_type, past.second)
  RETURNING u.tenant_id, u.entity_type, u.used
), leaving AS MATERIALIZED (
  SELECT tenant_id, entity_type, sum(used)::int AS used FROM (
    SELECT * FROM dropped
    UNION ALL SELECT tenant_id, entity_type, past_used FROM locked
    WHERE past_second <= date_trunc('second', now()) - interval '3600 seconds'
  ) AS past GROUP BY tenant_id, entity_type
), given AS MATERIALIZED (
  SELECT left_over.*, CASE WHEN episode_started_at IS NOT NULL THEN 0
    ELSE greatest(0, least(wanted, most - used)) END AS granted
  FROM (SELECT tenant_id, entity_type, wanted, most, episode_started_at, past_second, past_used, locked.used - coalesce((
          SELECT l.used FROM leaving l
          WHERE (l.tenant_id, l.entity_type) = (locked.tenant_id, locked.entity_type)), 0) AS used
        FROM locked) AS left_over
), granting AS (
  UPDATE threshold_windows w SET second = date_trunc('second', now()), used = given.used + given.granted,
    second_used = given.granted + CASE WHEN w.second = date_trunc('second', now()) THEN w.second_used ELSE 0 END
  FROM given
  WHERE (w.tenant_id, w.entity_type) = (given.tenant_id, given.entity_type)
  RETURNING w.tenant_id, w.entity_type, given.granted, given.past_second, given.past_used
), counted AS (
  INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
  SELECT tenant_id, entity_type, past_second, past_used FROM granting
  WHERE past_second <> date_trunc('second', now()) AND past_used <> 0
    AND past_second > date_trunc('second', now()) - interval '3600 seconds'
  ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
)
SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted, now() AS "countedAt"
FROM granting, (SELECT 1 FROM unhurried) AS unhurried
