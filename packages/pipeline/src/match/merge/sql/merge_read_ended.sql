-- Reads the callouts of these records that ended last: what they showed their receivers. Merged ones showed nothing.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  records
-- $3 bigint    how many of each
--
-- locks: none
-- indexes: callouts_webhook_key_record_id_idx
SELECT c.id, c.webhook_key AS "webhookKey", c.record_id AS "recordId", c.action, c.state
FROM unnest($1::bigint[], $2::bigint[]) AS pair (webhook_key, record_id), LATERAL (
  SELECT id, webhook_key, record_id, action, state, finished_at FROM callouts
  WHERE webhook_key = pair.webhook_key AND record_id = pair.record_id AND kind = 'event'
    AND state IN ('delivered', 'failed', 'cancelled')
  ORDER BY finished_at DESC LIMIT $3
) AS c
ORDER BY c.webhook_key, c.record_id, c.finished_at DESC
