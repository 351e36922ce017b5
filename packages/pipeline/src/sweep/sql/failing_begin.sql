-- Begins the episodes of webhooks that have been failing for a while, with all webhooks of a tenant that will be
-- soon. The locks keep a success from ending the health between this look and the report. Another worker that looks
-- at the same moment waits for them, and then gets no rows.
--
-- $1 double precision  the while, in ms
-- $2 double precision  how much sooner the other webhooks of the tenant count, in ms
-- $3 bigint            how many at most
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
WITH late AS MATERIALIZED (
  SELECT DISTINCT w.tenant_id FROM webhook_health h JOIN webhooks w ON w.key = h.webhook_key
  WHERE h.failing_since <= now() - $1 * interval '1 millisecond' AND NOT h.is_reported AND w.is_active
    AND w.deleted_at IS NULL
), failing AS MATERIALIZED (
  SELECT h.webhook_key, w.tenant_id, h.failing_since, h.pauses, h.failed_in_row, h.last_failure, h.paused_until, h.probe_at,
    w.delivery_mode = 'pull' AS is_pulled, h.is_unfetched AND w.delivery_mode = 'pull' AS is_unfetched
  FROM webhook_health h
  JOIN webhooks w ON w.key = h.webhook_key
  WHERE h.failing_since <= now() - ($1::float - $2::float) * interval '1 millisecond' AND NOT h.is_reported AND w.is_active
    AND w.deleted_at IS NULL AND w.tenant_id IN (SELECT tenant_id FROM late)
  ORDER BY h.webhook_key LIMIT $3 FOR NO KEY UPDATE OF h
), begun AS (
  INSERT INTO failing_episodes (webhook_key, tenant_id, since)
  SELECT webhook_key, tenant_id, failing_since FROM failing ORDER BY webhook_key ON CONFLICT DO NOTHING
  RETURNING webhook_key
), reported AS (
  UPDATE webhook_health h SET is_reported = true FROM begun WHERE h.webhook_key = begun.webhook_key
)
SELECT f.webhook_key AS "webhookKey", f.tenant_id AS "tenantId", f.failing_since AS since, f.pauses > 0 AS "isPaused",
  f.is_pulled AS "isPulled", f.is_unfetched AS "isUnfetched",
  f.failed_in_row AS "failedInRow", f.last_failure AS "lastFailure", f.paused_until AS "pausedUntil", f.probe_at AS "probeAt", now() AS now
FROM begun JOIN failing f USING (webhook_key)
