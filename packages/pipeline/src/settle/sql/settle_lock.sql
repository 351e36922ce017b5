-- Locks the callouts of settlements and returns their lease owners; and locks the deactivation calls of webhooks that may
-- be deactivated. In the order in which match locks the callouts that it puts new callouts behind (webhook, record). The
-- next statement sees what match has put behind a locked callout by then; nothing more can come until the transaction ends.
--
-- $1 uuid[]    callouts
-- $2 bigint[]  keys of the webhooks that may be deactivated
--
-- locks: open_callouts
-- indexes: open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx
WITH locked AS MATERIALIZED (
  SELECT o.callout_id, o.lease_owner FROM open_callouts o
  WHERE o.callout_id = ANY(ARRAY(
    SELECT id FROM unnest($1::uuid[]) AS id
    UNION ALL SELECT callout_id FROM open_callouts WHERE webhook_key = ANY($2::bigint[]) AND record_id = -1))
  ORDER BY o.webhook_key, o.record_id, o.sequence_number FOR UPDATE
)
SELECT callout_id AS "calloutId", lease_owner AS "leaseOwner" FROM locked WHERE callout_id = ANY($1::uuid[])
