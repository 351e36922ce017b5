-- Leases due callouts of many webhooks, as many of each as there are free slots. Rows that are being claimed elsewhere
-- are skipped. A paused webhook gets the oldest callout when the pause is over, and no second worker may call the
-- receiver meanwhile. A webhook that has been failing until `probe_at`, and has no callout due, gets a probe: the
-- oldest callout that was tried before, ahead of the time of the next attempt (`aheadMs`); where the receiver refused a
-- probe (`refused_number`), the next callout in turn. Tests and deactivation calls, which are few, are always claimed,
-- ahead of any backlog. Of an inactive webhook only the deactivation calls are claimed, of a webhook whose tenant is
-- not served here nothing, and callouts that a program fetches (`pull:`, see pull/pull_claim) are
-- never claimed here.
--
-- A webhook that limits calls gets no more than the limits allow (limits/rate.rules has the rule in TypeScript), under the
-- lock of the row in webhook_rates. While the row says that no call may begin, no callout of the webhook is read, however
-- many wait. For each such webhook the result has a further row without a callout: what the limits allow (`gate`), and in how
-- many milliseconds the next call may begin.
--
-- The commit does not wait for the disk: a lease that is lost with the server only means that the callout is sent once
-- more. `state || ''`: see README.md.
--
-- $1 bigint[]          keys of the webhooks
-- $2 int[]             free slots of each
-- $3 uuid              the name of the lease
-- $4 double precision  how long the lease lasts, in ms
--
-- locks: webhook_rates (skip locked), webhook_health (skip locked), open_callouts (no key update, skip locked)
-- indexes: open_callouts_by_number, open_callouts_calls, open_callouts_due, open_callouts_pkey,
--   tenants_pkey, webhook_health_pkey, webhook_rates_pkey, webhooks_pkey
WITH unhurried AS MATERIALIZED (
  SELECT set_config('synchronous_commit', 'off', true)
), wanted AS MATERIALIZED (
  SELECT w.webhook_key, w.slots, coalesce(h.pauses, 0) > 0 AS is_paused,
    coalesce(h.probe_at <= now(), false) AS is_probed, a.*
  FROM unhurried, unnest($1::bigint[], $2::int[]) AS w (webhook_key, slots),
  LATERAL (
    SELECT is_active AND delivery_mode = 'push' AS is_sent, deactivation_mode = 'push' AS is_deactivation_sent,
      max_calls_per_second AS per_second, max_concurrent_calls AS at_once,
      max_calls_per_second IS NOT NULL OR max_concurrent_calls IS NOT NULL AS is_limited
    FROM webhooks WHERE key = w.webhook_key AND (SELECT state FROM tenants WHERE id = tenant_id) = 'active' OFFSET 0
  ) AS a
  LEFT JOIN LATERAL (SELECT * FROM webhook_health WHERE webhook_key = w.webhook_key OFFSET 0) AS h ON true
), gates AS MATERIALIZED (
  SELECT wanted.webhook_key, wanted.slots, wanted.per_second, wanted.at_once, r.next_call_at
  FROM wanted, LATERAL (
    SELECT next_call_at FROM webhook_rates WHERE webhook_key = wanted.webhook_key AND next_call_at <= now()
    FOR NO KEY UPDATE SKIP LOCKED
  ) AS r WHERE wanted.is_limited AND wanted.is_sent
), allowed AS MATERIALIZED (
  -- The smallest of the three numbers; null: no limit.
  SELECT *, greatest(0, least(slots,
      floor(per_second * extract(epoch FROM now() - greatest(next_call_at, now() - interval '500 ms')))::int + 1,
      at_once - CASE WHEN at_once IS NOT NULL THEN limited_calls_under_way(webhook_key) END)) AS calls
  FROM gates
), able AS MATERIALIZED (
  SELECT webhook_key, is_paused, is_probed, CASE WHEN is_limited
    THEN coalesce((SELECT calls FROM allowed WHERE allowed.webhook_key = wanted.webhook_key), 0) ELSE slots END AS slots
  FROM wanted WHERE is_sent
), probed AS MATERIALIZED (
  SELECT head.* FROM able, LATERAL (
    SELECT h.webhook_key, due.is_due, ahead.number FROM webhook_health h, LATERAL (
      SELECT coalesce((
        SELECT true FROM open_callouts o WHERE o.webhook_key = able.webhook_key AND o.state = 'due' AND o.due_at <= now()
          AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event' ORDER BY o.due_at LIMIT 1), false) AS is_due
      OFFSET 0
    ) AS due, LATERAL (
      SELECT CASE WHEN NOT due.is_due AND h.probe_at <= now() THEN coalesce((
        SELECT o.sequence_number FROM open_callouts o WHERE o.webhook_key = h.webhook_key AND o.state = 'due'
          AND o.sequence_number > h.refused_number AND o.attempts_made > 0
          AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event' ORDER BY o.sequence_number LIMIT 1), (
        SELECT o.sequence_number FROM open_callouts o WHERE o.webhook_key = h.webhook_key AND o.state = 'due'
          AND o.attempts_made > 0
          AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event' ORDER BY o.sequence_number LIMIT 1)
      ) END AS number OFFSET 0
    ) AS ahead
    WHERE h.webhook_key = able.webhook_key AND (h.pauses = 0 OR h.paused_until <= now())
      AND CASE WHEN due.is_due THEN h.pauses > 0 ELSE ahead.number IS NOT NULL END
    FOR UPDATE OF h SKIP LOCKED
  ) AS head WHERE (able.is_paused OR able.is_probed) AND able.slots > 0
), marked AS (
  UPDATE webhook_health SET probe_at = now() + greatest(interval '1 minute', $4 * interval '1 millisecond'),
    probe_lease = CASE WHEN pauses > 0 THEN $3::uuid END,
    paused_until = CASE WHEN pauses > 0 THEN now() + $4 * interval '1 millisecond' END
  WHERE webhook_key = ANY(ARRAY(SELECT webhook_key FROM probed))
), picked AS (
  SELECT head.callout_id FROM able, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = able.webhook_key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
    ORDER BY o.due_at LIMIT able.slots FOR NO KEY UPDATE SKIP LOCKED
  ) AS head WHERE NOT able.is_paused AND able.slots > 0
), probes AS (
  SELECT head.callout_id FROM probed, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = probed.webhook_key AND o.state = 'due' AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
    ORDER BY o.sequence_number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  ) AS head WHERE probed.is_due
), ahead AS (
  SELECT head.callout_id FROM probed, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = probed.webhook_key AND o.state = 'due' AND o.sequence_number >= probed.number AND o.attempts_made > 0
      AND (o.lease_until IS NULL OR o.lease_until <= now()) AND o.kind = 'event'
    ORDER BY o.sequence_number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  ) AS head WHERE NOT probed.is_due
), calls AS (
  SELECT head.callout_id FROM wanted, LATERAL (
    SELECT o.callout_id FROM open_callouts o
    WHERE o.webhook_key = wanted.webhook_key AND o.record_id <= 0 AND o.kind <> 'event' AND o.state || '' = 'due'
      AND o.due_at <= now()
      AND (o.lease_until IS NULL OR o.lease_until <= now())
      AND CASE o.kind WHEN 'deactivation' THEN wanted.is_deactivation_sent ELSE wanted.is_sent END
    LIMIT wanted.slots FOR NO KEY UPDATE SKIP LOCKED
  ) AS head
), leased AS (
  UPDATE open_callouts SET lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
  WHERE callout_id = ANY(ARRAY(
    SELECT callout_id FROM picked UNION ALL SELECT callout_id FROM probes UNION ALL SELECT callout_id FROM ahead
    UNION ALL SELECT callout_id FROM calls))
  RETURNING *
), taken AS (
  UPDATE webhook_rates r SET next_call_at = greatest(r.next_call_at, now() - interval '500 ms')
    + coalesce(begun.calls / begun.per_second, 0) * interval '1 second'
  FROM (
    SELECT webhook_key, per_second, (
      SELECT count(*) FROM leased WHERE leased.webhook_key = allowed.webhook_key AND kind = 'event') AS calls
    FROM allowed
  ) AS begun WHERE r.webhook_key = begun.webhook_key AND begun.calls > 0
  RETURNING r.webhook_key, r.next_call_at
), placed AS (
  INSERT INTO limited_calls (webhook_key, callout_id, lease_owner, lease_until)
  SELECT leased.webhook_key, leased.callout_id, leased.lease_owner, leased.lease_until
  FROM allowed, leased WHERE leased.webhook_key = allowed.webhook_key AND allowed.at_once IS NOT NULL AND kind = 'event'
  ON CONFLICT (webhook_key, callout_id) DO UPDATE
    SET lease_owner = EXCLUDED.lease_owner, lease_until = EXCLUDED.lease_until
)
SELECT leased.callout_id AS id, leased.tenant_id AS "tenantId", leased.webhook_key AS "webhookKey",
  w.version AS "webhookVersion", leased.entity_type AS "entityType", leased.record_id AS "recordId",
  leased.sequence_number AS "sequenceNumber", leased.kind, leased.action, leased.event_id AS "eventId",
  leased.attempts_made AS "attemptsMade", leased.attempts_before AS "attemptsBefore", leased.is_redelivery AS "isRedelivery",
  NULL::timestamptz AS "countedAt", leased.accepted_at AS "acceptedAt",
  leased.trace_parent AS "traceParent", leased.lease_owner AS "leaseOwner",
  greatest(0, 1000 * extract(epoch FROM leased.due_at - now()))::double precision AS "aheadMs",
  leased.body_bytes AS "bodyBytes", t.threshold,
  leased.kind = 'event' AND EXISTS (
    SELECT FROM allowed WHERE allowed.webhook_key = leased.webhook_key AND at_once IS NOT NULL) AS "holdsPlace",
  leased.kind = 'event' AND EXISTS (
    SELECT FROM allowed WHERE allowed.webhook_key = leased.webhook_key AND per_second IS NOT NULL) AS "isRated",
  NULL::text AS gate, NULL::double precision AS "opensInMs"
FROM leased,
  LATERAL (
    SELECT version FROM webhooks WHERE key = leased.webhook_key OFFSET 0
  ) AS w,
  LATERAL (
    SELECT callout_threshold AS threshold FROM tenants WHERE id = leased.tenant_id OFFSET 0
  ) AS t
UNION ALL
SELECT NULL, NULL, wanted.webhook_key, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL,
  CASE WHEN r.webhook_key IS NULL THEN 'absent' WHEN r.next_call_at > now() THEN 'closed'
    WHEN allowed.webhook_key IS NULL THEN 'locked' WHEN taken.webhook_key IS NULL THEN 'open' ELSE 'taken' END,
  1000 * extract(epoch FROM coalesce(taken.next_call_at, r.next_call_at) - now())
FROM wanted
LEFT JOIN LATERAL (SELECT * FROM webhook_rates WHERE webhook_key = wanted.webhook_key OFFSET 0) AS r ON true
LEFT JOIN allowed ON allowed.webhook_key = wanted.webhook_key
LEFT JOIN taken ON taken.webhook_key = wanted.webhook_key
WHERE wanted.is_limited AND wanted.is_sent
ORDER BY "webhookKey", "sequenceNumber"
