-- Ends the health of pulled webhooks that have nothing to fetch, as after a cancellation: nothing was delivered, so
-- there is no mail about a recovery. What was reported to `WebhookHealth` is over, too. Attempts that failed before
-- still count.
--
-- locks: webhook_health
-- indexes: failing_episodes_pkey, webhook_health_pkey
WITH over AS MATERIALIZED (
  SELECT h.webhook_key, h.last_failure IS NULL AS is_well, h.is_reported FROM webhook_health h
  WHERE h.is_unfetched AND NOT EXISTS (SELECT FROM open_callouts o
    WHERE o.webhook_key = h.webhook_key AND o.state = 'due' AND o.kind = 'event')
  ORDER BY h.webhook_key FOR UPDATE OF h
), forgotten AS (
  DELETE FROM webhook_health h USING over WHERE h.webhook_key = over.webhook_key AND over.is_well
), unreported AS (
  DELETE FROM failing_episodes e USING over WHERE e.webhook_key = over.webhook_key AND over.is_well
), fetched AS (
  UPDATE webhook_health h SET is_unfetched = false FROM over
  WHERE h.webhook_key = over.webhook_key AND NOT over.is_well
)
SELECT webhook_key AS "webhookKey" FROM over WHERE is_well AND is_reported ORDER BY webhook_key
