-- Stores a notification about an alert for each recipient.
--
-- $1 uuid[]  ids of the notifications
-- $2 text[]  recipients
-- $3 text    kind
-- $4 text    occasion
-- $5 json    content
--
-- locks: none
-- indexes: none
INSERT INTO notifications (id, kind, occasion, recipient, content)
SELECT n.id, $3, $4, n.recipient, $5 FROM unnest($1::uuid[], $2::text[]) AS n (id, recipient)
