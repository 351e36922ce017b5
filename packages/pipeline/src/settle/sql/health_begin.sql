-- Creates rows of health for webhooks that have none; not for inactive ones, for which results of attempts
-- do not count. In order of the key, like everything that locks several of them.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: webhook_health
-- indexes: webhooks_pkey
INSERT INTO webhook_health (webhook_key)
SELECT k.key FROM unnest($1::bigint[]) AS k (key),
  LATERAL (SELECT is_active FROM webhooks WHERE key = k.key OFFSET 0) AS w
WHERE w.is_active ORDER BY k.key ON CONFLICT DO NOTHING
