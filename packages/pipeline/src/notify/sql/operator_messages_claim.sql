-- Leases the oldest due message of each alert, so that the end of an alert never overtakes its beginning. The lease
-- of a worker that died ends.
--
-- $1 uuid              the name of the lease
-- $2 double precision  how long the lease lasts, in ms
--
-- locks: none (operator_messages is locked by nothing else)
-- indexes: operator_messages_pkey
WITH due AS (
  SELECT id FROM operator_messages m
  WHERE due_at <= now() AND (lease_until IS NULL OR lease_until <= now())
    AND NOT EXISTS (SELECT FROM operator_messages e WHERE e.alert = m.alert AND (e.created_at, e.id) < (m.created_at, m.id))
  ORDER BY created_at LIMIT 10 FOR UPDATE SKIP LOCKED
)
UPDATE operator_messages m SET lease_owner = $1, lease_until = now() + $2 * interval '1 millisecond'
FROM due WHERE m.id = due.id
RETURNING m.id, m.content, m.attempts, m.lease_owner AS "leaseOwner",
  (extract(epoch FROM now() - m.created_at) * 1000)::bigint AS "ageMs"
