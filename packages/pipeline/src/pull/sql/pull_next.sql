-- Returns for webhooks whose callouts are fetched whether a callout can be handed out now, when the next may be
-- (the time of the next attempt), and whether the threshold holds any. A single statement serves all requests of a
-- process that wait. Bounds in place of `=`: see STATEMENTS.md.
--
-- $1 bigint[]  keys of webhooks
--
-- locks: none
-- indexes: open_callouts_due, open_callouts_held_by_webhook
SELECT asked.key AS "webhookKey",
  (SELECT 1 FROM open_callouts o WHERE o.webhook_key = asked.key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now())
    ORDER BY o.due_at LIMIT 1) IS NOT NULL AS "hasDue",
  (SELECT extract(epoch FROM o.due_at - now()) * 1000 FROM open_callouts o
    WHERE o.webhook_key = asked.key AND o.state = 'due' AND o.due_at > now()
    ORDER BY o.due_at LIMIT 1)::double precision AS "dueInMs",
  (SELECT 1 FROM open_callouts o WHERE o.webhook_key >= asked.key AND o.webhook_key <= asked.key AND o.state = 'held'
    ORDER BY o.webhook_key, o.callout_id LIMIT 1) IS NOT NULL AS "hasHeld"
FROM unnest($1::bigint[]) AS asked (key)
