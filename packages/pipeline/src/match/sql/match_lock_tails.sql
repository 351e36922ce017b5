-- Finds and locks the last open callout of each record. A callout cannot end while the lock is kept, so a transaction that
-- ends the callout sees the callouts that the match puts behind. In the order in which settle locks (webhook, record), and
-- against being deleted only: the callout may be leased and made due meanwhile.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  records
--
-- locks: open_callouts (key share)
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT tail.webhook_key AS "webhookKey", tail.record_id AS "recordId"
FROM (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS p (webhook_key, record_id) ORDER BY 1, 2) AS pair,
LATERAL (
  SELECT o.webhook_key, o.record_id FROM open_callouts o
  WHERE o.webhook_key = pair.webhook_key AND o.record_id = pair.record_id
  ORDER BY o.sequence_number DESC LIMIT 1 FOR KEY SHARE
) AS tail
