-- Ends the pause of a webhook. A probe that is under way is left alone; its lease ends by itself if its worker
-- dies.
--
-- $1 bigint  key of the webhook
--
-- locks: webhook_health
-- indexes: webhook_health_pkey
UPDATE webhook_health SET paused_until = CASE WHEN probe_lease IS NULL THEN least(paused_until, now()) ELSE paused_until END
WHERE webhook_key = $1 AND pauses > 0 RETURNING webhook_key
