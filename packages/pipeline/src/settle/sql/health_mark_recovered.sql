-- Marks webhooks whose receivers have recovered, and whose callouts wait for their next attempt: the sweep makes those
-- due. Where people were notified of the failures, the time is kept for the mail about the recovery. Not webhooks whose callouts a program fetches, since the program asked for the waits. In order of the key.
--
-- $1 bigint[]  keys of the webhooks
--
-- locks: none
-- indexes: failing_episodes_pkey, open_callouts_due, webhooks_pkey
WITH reported AS (
  UPDATE failing_episodes SET recovered_at = clock_timestamp()
  WHERE webhook_key = ANY($1::bigint[]) AND recovered_at IS NULL
)
INSERT INTO recovered_webhooks (webhook_key, tenant_id)
SELECT k.key, w.tenant_id FROM unnest($1::bigint[]) AS k (key), LATERAL (
  SELECT tenant_id, delivery_mode FROM webhooks WHERE key = k.key OFFSET 0
) AS w, LATERAL (
  SELECT due_at FROM open_callouts WHERE webhook_key = k.key AND state = 'due' ORDER BY due_at DESC LIMIT 1
) AS last
WHERE w.delivery_mode = 'push' AND last.due_at > now()
ORDER BY k.key ON CONFLICT (webhook_key) DO UPDATE SET recovered_at = excluded.recovered_at
