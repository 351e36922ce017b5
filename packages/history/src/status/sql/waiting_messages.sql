-- Counts occurrences that have not become events, and messages that no operator has got.
--
-- locks: none
-- indexes: tenants_pkey
SELECT o.*, m.* FROM (
  SELECT count(*) AS events, min(o.occurred_at) AS "oldestEvent"
  FROM webhook_occurrences o JOIN tenants t ON t.id = o.tenant_id WHERE t.state = 'active'
) AS o, (SELECT count(*) AS messages, min(created_at) AS "oldestMessage" FROM operator_messages) AS m
