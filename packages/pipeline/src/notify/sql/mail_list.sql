-- Lists mails for an operator, the newest first: ids contain the time of storing.
--
-- $1 text[]  states
-- $2 uuid    the last id of the page before; null: the first page
-- $3 bigint  how many at most
--
-- locks: none
-- indexes: notifications_mail_id_idx, tenants_pkey
SELECT n.id, n.tenant_id AS "tenantID", t.name AS "tenantName", n.kind, n.recipient, n.state,
  n.mail_id IS NOT NULL AS "isGathered", n.attempts, n.last_error AS "lastError", n.created_at AS "createDateTime",
  CASE WHEN n.state = 'waiting' AND n.mail_id IS NOT NULL THEN n.due_at END AS "nextAttemptDateTime",
  CASE WHEN n.mail_id IS NULL THEN 1 ELSE (SELECT count(*) FROM notifications o WHERE o.mail_id = n.mail_id) END AS notifications
FROM notifications n LEFT JOIN tenants t ON t.id = n.tenant_id
WHERE n.state = ANY($1::text[]) AND (n.mail_id IS NULL OR n.mail_id = n.id) AND ($2::uuid IS NULL OR n.id < $2)
ORDER BY n.id DESC LIMIT $3
