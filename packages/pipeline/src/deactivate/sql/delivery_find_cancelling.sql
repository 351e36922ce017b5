-- Finds inactive webhooks whose open callouts are still to be cancelled.
--
-- $1 bigint  how many at most
--
-- locks: none
-- indexes: webhooks_cancelling
SELECT key FROM webhooks WHERE is_cancelling ORDER BY key LIMIT $1
