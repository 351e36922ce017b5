-- Writes the results of attempts: ends callouts or gives them the time of their next attempt, and stores the attempts.
-- The callout behind an ended one becomes due, though not before the time of a retry that it still has to wait for. The
-- insert of the attempts is that of delivery_log_attempts.
--
-- An optimistic decision is stored only if its assumptions are true: each callout is open under the lease of its
-- result, and every receiver is healthy. And where another transaction ends the callout behind at this moment, it raises
-- CO001, since the one behind that must be looked for by another statement of the same transaction.
--
-- $1 uuid[]          callouts that end
-- $2 text[]          their states
-- $3 bigint[]        keys of their webhooks
-- $4 bigint[]        their records
-- $5 uuid[]          callouts to be tried again
-- $6 int[]           attempts made; 0: as many as before, since a probe does not count
-- $7 bigint[]        waits, in ms
-- $8 uuid            the lowest id of the first list
-- $9 uuid            the highest: with the bounds PostgreSQL looks into the partitions concerned only
-- $10 uuid[]         ids of the attempts
-- $11 uuid[]         their callouts
-- $12 int[]          tenants
-- $13 bigint[]       keys of the webhooks
-- $14 int[]          numbers, 1 for the first
-- $15 timestamptz[]  when they began
-- $16 int[]          how long they took, in ms
-- $17 text[]         URLs
-- $18 json[]         headers of the requests
-- $19 int[]          statuses
-- $20 json[]         headers of the answers
-- $21 bytea[]        bodies of the answers
-- $22 text[]         reasons of failures
-- $23 text[]         failures in words
-- $24 bigint[]       waits until the next attempts, in ms; null: none
-- $25 uuid[]         the lease of each attempt, for an optimistic decision; null: it was made under the locks
--
-- moves: due → delivered, due → failed, due → cancelled, waiting → delivered, waiting → failed, waiting → due
-- locks: open_callouts (those behind the ended ones; delivery_lock_held has the rest)
-- indexes: callouts_pkey, open_callouts_pkey, open_callouts_webhook_key_record_id_sequence_number_idx,
--   webhook_health_pkey
WITH held AS MATERIALIZED (
  SELECT count(*) AS callouts, count(h.webhook_key) AS unwell FROM unnest($11::uuid[], $13::bigint[], $25::uuid[])
    AS p (id, webhook_key, lease), LATERAL (
    SELECT lease_owner FROM open_callouts WHERE callout_id = p.id OFFSET 0
  ) AS o
  LEFT JOIN LATERAL (SELECT webhook_key FROM webhook_health WHERE webhook_key = p.webhook_key OFFSET 0) AS h ON true
  WHERE o.lease_owner = p.lease
), fit AS MATERIALIZED (
  SELECT WHERE $25::uuid[] IS NULL OR (SELECT callouts = cardinality($11::uuid[]) AND unwell = 0 FROM held)
), ended AS MATERIALIZED (
  SELECT e.* FROM fit, unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[])
    AS e (id, state, webhook_key, record_id)
), closed AS (
  DELETE FROM open_callouts WHERE callout_id = ANY(ARRAY(SELECT id FROM ended))
), stamped AS (
  -- The bounds name the partitions, which a list alone does not.
  UPDATE callouts c SET state = ended.state, finished_at = now() FROM ended
  WHERE c.id = ended.id AND c.id = ANY($1::uuid[]) AND c.id BETWEEN $8 AND $9
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
  UPDATE open_callouts o SET attempts_made = greatest(o.attempts_made, r.attempts_made), due_at = now() + r.wait_ms * interval '1 millisecond',
    lease_owner = NULL, lease_until = NULL
  FROM unnest($5::uuid[], $6::int[], $7::bigint[]) AS r (id, attempts_made, wait_ms)
  WHERE o.callout_id = r.id AND o.callout_id = ANY($5::uuid[])
), logged AS (
  INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
    status, response_headers, response_body, failure_reason, failure, next_attempt_at)
  SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
    response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
  FROM unnest(
    $10::uuid[], $11::uuid[], $12::int[], $13::bigint[], $14::int[], $15::timestamptz[], $16::int[],
    $17::text[], $18::json[], $19::int[], $20::json[], $21::bytea[], $22::text[], $23::text[], $24::bigint[]
  )
    AS a (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
      response_headers, response_body, failure_reason, failure, wait_ms)
  WHERE EXISTS (SELECT FROM fit)
), checked AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM fit) AS is_stored, (SELECT count(*) FROM behind) AS behind,
    (SELECT count(*) FROM promoted) AS promoted
)
SELECT checked.is_stored AS "isStored", behind.webhook_key AS "webhookKey", behind.record_id AS "recordId",
  CASE WHEN $25::uuid[] IS NOT NULL AND checked.promoted < checked.behind THEN raise_assumption_failed()
    ELSE checked.promoted END AS promoted
FROM checked LEFT JOIN behind ON true
