-- Tells when a webhook whose callouts are fetched may have one to hand out that it has not now: the time of its next
-- attempt, and whether the threshold holds any.
--
-- $1 bigint  key of the webhook
--
-- locks: none
-- indexes: open_callouts_due, open_callouts_held_by_webhook
SELECT (SELECT extract(epoch FROM o.due_at - now()) * 1000 FROM open_callouts o
    WHERE o.webhook_key = $1 AND o.state = 'due' AND o.due_at > now()
    ORDER BY o.due_at LIMIT 1)::double precision AS "dueInMs",
  (SELECT 1 FROM open_callouts o WHERE o.webhook_key = $1 AND o.state = 'held'
    ORDER BY o.callout_id LIMIT 1) IS NOT NULL AS "hasHeld"
