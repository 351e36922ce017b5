-- Counts the open callouts of webhooks by their state, when a mail is written: the mail may have been gathering for
-- minutes, or have waited for its mail server for days.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint    the highest number that is counted of a webhook
--
-- locks: none
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
SELECT w.key AS "webhookKey", o.* FROM unnest($1::bigint[]) AS w (key), LATERAL (
  SELECT count(*) FILTER (WHERE state = 'due') AS due, count(*) FILTER (WHERE state = 'waiting') AS behind,
    count(*) FILTER (WHERE state = 'held') AS held
  FROM (SELECT state FROM open_callouts WHERE webhook_key = w.key AND kind = 'event' LIMIT $2) AS first
) AS o
