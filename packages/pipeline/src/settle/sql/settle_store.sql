-- Writes settlements: ends callouts or gives them the time of the next attempt, and stores the attempts. The callout
-- behind an ended callout becomes due, though not before the time of a retry that it still has to wait for.
-- Returns a row for each callout that is to become due, with the number of callouts that did: another transaction may end
-- such a callout at this moment, and then settle_promote looks for the next.
--
-- $1 json  settlements: an array of objects, see settlementSet in store.ts. state: of a callout that ends; wait_ms: until
--          the next attempt; number: 0 for a probe, which does not count
-- $2 uuid  the lowest id of the callouts that end
-- $3 uuid  the highest: with the bounds PostgreSQL looks into the partitions concerned only
--
-- moves: due → delivered, due → failed, due → cancelled, waiting → delivered, waiting → failed, waiting → due
-- locks: open_callouts (behind the ended callouts; settle_lock has the rest)
-- indexes: callouts_pkey, open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx
WITH settlements AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS s (callout_id uuid, webhook_key bigint, record_id bigint, state text,
    wait_ms bigint, id uuid, tenant_id int, number int, started_at timestamptz, duration_ms int, url text,
    request_headers json, status int, response_headers json, response_body bytea, failure_reason text, failure text)
), ended AS MATERIALIZED (
  SELECT callout_id AS id, state, webhook_key, record_id FROM settlements WHERE state IS NOT NULL
), closed AS (
  DELETE FROM open_callouts WHERE callout_id = ANY(ARRAY(SELECT id FROM ended))
), stamped AS (
  -- The bounds name the partitions, which a list alone does not.
  UPDATE callouts c SET state = ended.state, finished_at = now() FROM ended
  WHERE c.id = ended.id AND c.id = ANY(ARRAY(SELECT id FROM ended)) AND c.id BETWEEN $2 AND $3
), behind AS MATERIALIZED (
  SELECT next.* FROM ended, LATERAL (
    SELECT b.callout_id, b.webhook_key, b.record_id, b.state FROM open_callouts b
    WHERE b.webhook_key = ended.webhook_key AND b.record_id = ended.record_id AND b.callout_id <> ended.id
    ORDER BY b.sequence_number LIMIT 1
  ) AS next WHERE next.state = 'waiting'
), promoted AS (
  UPDATE open_callouts SET state = 'due', due_at = greatest(due_at, now())
  WHERE state = 'waiting' AND callout_id = ANY(ARRAY(SELECT callout_id FROM behind))
  RETURNING callout_id
), retried AS (
  UPDATE open_callouts o SET attempts_made = greatest(o.attempts_made, s.number),
    due_at = now() + s.wait_ms * interval '1 millisecond', lease_owner = NULL, lease_until = NULL
  FROM settlements s
  WHERE o.callout_id = s.callout_id AND s.wait_ms IS NOT NULL
    AND o.callout_id = ANY(ARRAY(SELECT callout_id FROM settlements WHERE wait_ms IS NOT NULL))
), logged AS (
  INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
    status, response_headers, response_body, failure_reason, failure, next_attempt_at)
  SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
    response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
  FROM settlements
)
SELECT webhook_key AS "webhookKey", record_id AS "recordId", (SELECT count(*) FROM promoted) AS promoted FROM behind
