-- Locks and reads the callouts of these records whose bytes may still change. A callout that was redelivered was tried, or
-- was cancelled and must stay as it is. merge_lock_tails has locked the open callouts, in an earlier statement: this one
-- sees what the sender of one of them has committed until then.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  records
--
-- locks: mergeable_callouts
-- indexes: mergeable_callouts_pkey, open_callouts_pkey
SELECT m.webhook_key AS "webhookKey", m.record_id AS "recordId", m.callout_id AS id, m.tenant_id AS "tenantId", m.version,
  m.carried
FROM (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS p (webhook_key, record_id) ORDER BY 1, 2) AS pair, LATERAL (
  SELECT * FROM mergeable_callouts
  WHERE webhook_key = pair.webhook_key AND record_id = pair.record_id OFFSET 0 FOR UPDATE
) AS m, LATERAL (
  SELECT FROM open_callouts
  WHERE callout_id = m.callout_id AND attempts_made = 0 AND NOT is_redelivery OFFSET 0
) AS o
