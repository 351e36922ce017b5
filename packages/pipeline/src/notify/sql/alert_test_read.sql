-- Reads what the channels of the last test have done. The first message of a test is removed once the URL has taken
-- the message.
--
-- locks: none
-- indexes: installation_alerts_pkey, notifications_tenant_id_kind_mail_at_idx, operator_messages_pkey
SELECT t.since AS "startDateTime", t.detail <> '' AS "isTaken", (SELECT coalesce(json_agg(c), '[]') FROM (
  SELECT 'mail' AS kind, recipient, state, attempts, last_error AS "lastError" FROM notifications
  WHERE kind = 'alert' AND occasion = 'test ' || extract(epoch FROM t.since)
  UNION ALL
  SELECT 'url', NULL, CASE WHEN m.first IS NULL THEN 'sent' ELSE 'waiting' END, coalesce(m.first, 1), NULL FROM (
    SELECT (array_agg(attempts ORDER BY created_at, id))[1] AS first FROM operator_messages
    WHERE alert = 'test ' || extract(epoch FROM t.since)
  ) AS m WHERE t.detail = 'url'
  ORDER BY kind, recipient
) AS c) AS channels
FROM installation_alerts t WHERE t.name = 'test'
