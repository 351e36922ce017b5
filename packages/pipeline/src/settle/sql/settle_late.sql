-- Stores late settlements of callouts that were cancelled while they were being sent: the attempt, and for a 2xx, which
-- shows that the receiver has the callout, the state. Returns the callouts. In the order of the ids, in which redelivery
-- locks ended callouts. The insert is that of settle_store, without a next attempt.
--
-- $1 json  settlements: an array of objects, see lateSet in store.ts
-- $2 uuid  the lowest id of the callouts
-- $3 uuid  the highest
--
-- moves: cancelled → delivered
-- locks: callouts
-- indexes: callouts_pkey
WITH settlements AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS s (callout_id uuid, webhook_key bigint, record_id bigint, state text,
    wait_ms bigint, id uuid, tenant_id int, number int, started_at timestamptz, duration_ms int, url text,
    request_headers json, status int, response_headers json, response_body bytea, failure_reason text, failure text,
    lease_owner uuid)
), cancelled AS (
  UPDATE callouts c SET cancelled_lease = NULL, state = CASE WHEN s.state = 'delivered' THEN s.state ELSE c.state END,
    finished_at = CASE WHEN s.state = 'delivered' THEN now() ELSE c.finished_at END
  FROM settlements s
  WHERE c.id = s.callout_id AND c.id = ANY(ARRAY(SELECT callout_id FROM settlements)) AND c.id BETWEEN $2 AND $3
    AND c.state = 'cancelled' AND c.cancelled_lease = s.lease_owner
  RETURNING c.id
), logged AS (
  INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
    status, response_headers, response_body, failure_reason, failure)
  SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
    response_headers, response_body, failure_reason, failure
  FROM settlements WHERE callout_id = ANY(ARRAY(SELECT id FROM cancelled))
)
SELECT id FROM cancelled
