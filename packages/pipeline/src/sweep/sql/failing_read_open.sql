-- Reads the open callouts of a webhook. Callouts that were tried are due last, and callouts that were not are due
-- first: of a long backlog both ends are enough, the oldest, and those whose next attempt is farthest away.
--
-- $1 bigint  key of the webhook
-- $2 bigint  callouts that are read from each end
-- $3 bigint  callouts behind one of their record that are counted
--
-- locks: none
-- indexes: open_callouts_due, open_callouts_webhook_key_record_id_sequence_number_idx
SELECT callout_id AS id, due_at AS "dueAt", attempts_made - attempts_before AS "attemptsMade", (
  SELECT count(*) FROM (
    SELECT FROM open_callouts b WHERE b.webhook_key = $1 AND b.record_id = o.record_id AND b.state = 'waiting'
      AND b.kind = 'event' AND NOT b.is_redelivery LIMIT $3
  ) AS b
) AS behind FROM (
  (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at LIMIT $2)
  UNION
  (SELECT * FROM open_callouts WHERE webhook_key = $1 AND state = 'due' ORDER BY due_at DESC LIMIT $2)
) AS o WHERE kind = 'event' AND NOT is_redelivery
