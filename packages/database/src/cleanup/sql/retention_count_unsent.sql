-- Counts unsent mails about failed callouts of a day: a mail explains how to redeliver the callout.
--
-- $1 uuid  lowest id of the day
-- $2 uuid  lowest id of the next day
--
-- locks: none
-- indexes: none
SELECT count(*)::int AS count FROM notifications n WHERE n.state = 'waiting' AND n.kind = 'error' AND EXISTS (
  SELECT FROM callouts c WHERE c.webhook_key = n.webhook_key AND c.id >= $1 AND c.id < $2
    AND c.sequence_number = (n.content -> 'facts' ->> 'sequenceNumber')::bigint)
