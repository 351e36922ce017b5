-- As match_lock_tails, for a match that may merge: the last open callout of each record. The callout of a webhook that
-- merges is locked as if the callout were to end, since perhaps nothing is left to send. All callouts are locked by a
-- single statement, in the order in which settle locks (webhook, record).
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  records
-- $3 bool[]    whether the webhook merges
--
-- locks: open_callouts
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT pair.webhook_key AS "webhookKey", pair.record_id AS "recordId", own.callout_id AS id,
  own.sequence_number AS "sequenceNumber", own.state
FROM (
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bool[]) AS p (webhook_key, record_id, merges) ORDER BY 1, 2
) AS pair LEFT JOIN LATERAL (
  SELECT o.callout_id, o.sequence_number, o.state, o.attempts_made, o.is_redelivery FROM open_callouts o
  WHERE pair.merges AND o.webhook_key = pair.webhook_key AND o.record_id = pair.record_id
  ORDER BY o.sequence_number DESC LIMIT 1 FOR UPDATE
) AS own ON true LEFT JOIN LATERAL (
  SELECT o.callout_id FROM open_callouts o
  WHERE NOT pair.merges AND o.webhook_key = pair.webhook_key AND o.record_id = pair.record_id
  ORDER BY o.sequence_number DESC LIMIT 1 FOR KEY SHARE
) AS other ON true
WHERE own.callout_id IS NOT NULL OR other.callout_id IS NOT NULL
