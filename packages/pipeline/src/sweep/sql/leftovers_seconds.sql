-- Deletes old counts of the threshold. A claim for a tenant and entity drops seconds older than the hour; the
-- statement is for tenants without claims, which are far from the threshold or have nothing to send. Rows that a
-- claim has locked at the moment are skipped.
--
-- $1 bigint  how many at most
--
-- locks: threshold_windows (skip locked)
-- indexes: threshold_use_pkey, threshold_windows_pkey
WITH quiet AS MATERIALIZED (
  SELECT w.tenant_id, w.entity_type FROM threshold_windows w WHERE EXISTS (
    SELECT FROM threshold_use u WHERE (u.tenant_id, u.entity_type) = (w.tenant_id, w.entity_type)
      AND u.second < now() - interval '2 hours')
  FOR UPDATE SKIP LOCKED
), past AS MATERIALIZED (
  SELECT u.ctid AS at FROM quiet, LATERAL (
    SELECT ctid FROM threshold_use u WHERE (u.tenant_id, u.entity_type) = (quiet.tenant_id, quiet.entity_type)
      AND u.second < now() - interval '2 hours' FOR UPDATE SKIP LOCKED
  ) AS u LIMIT $1
), dropped AS (
  DELETE FROM threshold_use WHERE ctid = ANY(ARRAY(SELECT at FROM past)) RETURNING tenant_id, entity_type, used
), leaving AS (
  SELECT tenant_id, entity_type, sum(used)::int AS used FROM dropped GROUP BY tenant_id, entity_type
), counted AS (
  UPDATE threshold_windows w SET used = w.used - l.used FROM leaving l
  WHERE (w.tenant_id, w.entity_type) = (l.tenant_id, l.entity_type)
)
SELECT FROM dropped
