-- Holds callouts, and with them all other first attempts of their webhooks: otherwise those would be claimed
-- and held a few at a time, and delay retries, redeliveries and tests. Counts them per webhook. Locked in the
-- order of everything that locks open callouts: by webhook, record and number.
--
-- $1 int       tenant
-- $2 text      entity type
-- $3 uuid[]    callouts
-- $4 uuid[]    their leases
-- $5 bigint[]  keys of their webhooks
-- $6 bigint    how many others of each webhook
-- $7 uuid[]    those of the callouts into which changes may be merged from now on, as long as nobody else has leased them
-- $8 int[]     the versions of the configurations that made them
-- $9 json      what they carry, as one array
--
-- moves: due → held
-- locks: open_callouts (no key update), mergeable_callouts
-- indexes: open_callouts_due, open_callouts_pkey
WITH also AS MATERIALIZED (
  SELECT head.callout_id FROM unnest($5::bigint[]) AS w (key), LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = w.key AND o.state = 'due' AND o.due_at <= now() AND o.kind = 'event'
      AND o.attempts_made = 0 AND NOT o.is_redelivery AND (o.lease_until IS NULL OR o.lease_until <= now())
    ORDER BY o.due_at LIMIT $6
  ) AS head
), wanted AS MATERIALIZED (
  SELECT o.callout_id FROM (SELECT callout_id FROM also UNION SELECT unnest($3::uuid[])) AS named, LATERAL (
    SELECT callout_id, webhook_key, record_id, sequence_number FROM open_callouts
    WHERE callout_id = named.callout_id OFFSET 0
  ) AS o ORDER BY o.webhook_key, o.record_id, o.sequence_number
), locked AS MATERIALIZED (
  SELECT o.callout_id, o.lease_owner = ANY($4::uuid[]) AS is_own FROM wanted, LATERAL (
    SELECT * FROM open_callouts WHERE callout_id = wanted.callout_id OFFSET 0 FOR NO KEY UPDATE
  ) AS o
  WHERE o.state = 'due' AND o.attempts_made = 0
    AND (o.lease_owner = ANY($4::uuid[]) OR o.lease_until IS NULL OR o.lease_until <= now())
), held AS (
  UPDATE open_callouts SET state = 'held', lease_owner = NULL, lease_until = NULL
  WHERE callout_id = ANY(ARRAY(SELECT callout_id FROM locked)) RETURNING callout_id, webhook_key, record_id, tenant_id
), mergeable AS (
  INSERT INTO mergeable_callouts (webhook_key, record_id, callout_id, tenant_id, version, carried)
  SELECT held.webhook_key, held.record_id, held.callout_id, held.tenant_id, c.version, carried.value
  FROM unnest($7::uuid[], $8::int[]) WITH ORDINALITY AS c (callout_id, version, nth)
    JOIN json_array_elements($9::json) WITH ORDINALITY AS carried (value, nth) USING (nth)
    JOIN held USING (callout_id) JOIN locked USING (callout_id)
  WHERE locked.is_own ORDER BY held.webhook_key, held.record_id
  ON CONFLICT DO NOTHING
)
INSERT INTO threshold_episode_webhooks AS e (tenant_id, entity_type, webhook_key, held)
SELECT $1::int, $2::text, webhook_key, count(*) FROM held GROUP BY webhook_key
ON CONFLICT (tenant_id, entity_type, webhook_key) DO UPDATE SET held = e.held + EXCLUDED.held
RETURNING webhook_key AS "webhookKey", held, xmax = 0 AS "isFirst"
