-- Makes the first open callout of each of these records due: not before the time of a retry that it has to wait for,
-- and not while an attempt of its record may be under way.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  records
--
-- moves: waiting → due
-- locks: open_callouts
-- indexes: open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx
UPDATE open_callouts o SET state = 'due', due_at = greatest(o.due_at, now(), head.busy_until)
FROM (
  SELECT first.callout_id, busy.until AS busy_until
  FROM unnest($1::bigint[], $2::bigint[]) AS r (webhook_key, record_id), LATERAL (
    SELECT callout_id FROM open_callouts WHERE webhook_key = r.webhook_key AND record_id = r.record_id
    ORDER BY sequence_number LIMIT 1
  ) AS first, LATERAL (
    SELECT max(lease_until) AS until FROM open_callouts
    WHERE webhook_key = r.webhook_key AND record_id = r.record_id AND callout_id <> first.callout_id
  ) AS busy
) AS head
WHERE o.callout_id = head.callout_id AND o.state = 'waiting'
RETURNING o.webhook_key AS "webhookKey"
