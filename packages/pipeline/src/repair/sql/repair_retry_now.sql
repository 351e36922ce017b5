-- Makes callouts of a webhook due that only wait for the time of their next attempt; callouts that are being sent, held
-- by a threshold or behind an earlier callout of their record stay as they are. By record and number, a part at a time.
-- Nothing of an inactive webhook. `state || ''` and the CASE keep PostgreSQL from reading all callouts by other indexes.
--
-- $1 bigint   key of the webhook
-- $2 bigint   a record: callouts after it
-- $3 bigint   or with a higher number than this, of it
-- $4 bigint   the lowest number
-- $5 bigint   the highest number
-- $6 uuid     the lowest id
-- $7 uuid     below this id
-- $8 bigint   only of this record; null: of all
-- $9 text[]   only of these actions; null: of all
-- $10 uuid[]  only these callouts; null: all
-- $11 bool    also counts callouts that are due already, and wait for the end of a pause
-- $12 bigint  how many at most
--
-- locks: webhooks (unless held), open_callouts
-- indexes: open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx, webhooks_pkey
WITH webhook AS MATERIALIZED (
  SELECT key FROM webhooks WHERE key = $1 AND is_active FOR SHARE
), picked AS MATERIALIZED (
  SELECT o.* FROM webhook, LATERAL (
    SELECT callout_id, record_id, sequence_number FROM open_callouts
    WHERE webhook_key = webhook.key AND (record_id, sequence_number) > ($2, $3) AND kind = 'event'
      AND state || '' = 'due' AND (due_at > now() OR $11) AND (lease_until IS NULL OR lease_until <= now())
      AND sequence_number BETWEEN $4 AND $5 AND CASE WHEN callout_id >= $6 THEN callout_id < $7 ELSE false END
      AND ($8::bigint IS NULL OR record_id = $8) AND ($9::text[] IS NULL OR action = ANY($9))
      AND ($10::uuid[] IS NULL OR callout_id = ANY($10))
    ORDER BY record_id, sequence_number LIMIT $12 FOR NO KEY UPDATE
  ) AS o
), retried AS (
  UPDATE open_callouts SET due_at = least(due_at, now()) WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM picked))
)
SELECT record_id AS "recordId", sequence_number AS "sequenceNumber" FROM picked ORDER BY record_id, sequence_number
