-- Stores what a match made, in one statement: the verdicts of its events, which are pending no more; callouts, their
-- bodies, and the work of delivering them, some with a lease already, as this process sends them itself; and counts those
-- for the thresholds, as threshold_take does. The windows are locked by match_take_numbers.
--
-- $1 uuid[]             ids
-- $2 int[]              tenants
-- $3 bigint[]           keys of the webhooks
-- $4 bigint[]           sequence numbers
-- $5 uuid[]             events
-- $6 text[]             eventIDs as callers know them
-- $7 text[]             entity types
-- $8 bigint[]           records
-- $9 text[]             actions
-- $10 text[]            states: due or waiting
-- $11 uuid[]            names of leases; null: none
-- $12 timestamptz[]     when their events were accepted
-- $13 json              bodies, an array of objects; their very text is stored
-- $14 double precision  how long the leases last, in ms from the begin of the transaction
-- $15 uuid[]            events that are matched
-- $16 int[]             their tenants
-- $17 json[]            their verdicts
-- $18 int[]             tenants whose thresholds are asked
-- $19 text[]            entity types
-- $20 int[]             how many first attempts
-- $21 int[]             the threshold of each
--
-- locks: threshold_windows (unless held)
-- indexes: pending_events_pkey, threshold_use_pkey, threshold_windows_pkey
WITH new AS (
  SELECT * FROM ROWS FROM (
    unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[],
      $9::text[], $10::text[], $11::uuid[], $12::timestamptz[]),
    json_array_elements($13::json)
  ) AS c (id, tenant_id, webhook_key, sequence_number, event_id, public_event_id, entity_type, record_id, action, state,
    lease_owner, accepted_at, body)
), history AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action)
  SELECT id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action FROM new
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body) SELECT id, body::text FROM new
), work AS (
  INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
    sequence_number, state, due_at, lease_owner, lease_until, accepted_at)
  SELECT id, tenant_id, webhook_key, entity_type, record_id, action, public_event_id, sequence_number, state, now(),
    lease_owner, CASE WHEN lease_owner IS NOT NULL THEN now() + $14 * interval '1 millisecond' END, accepted_at
  FROM new
), matched AS (
  DELETE FROM pending_events WHERE event_id = ANY($15::uuid[])
), verdicts AS (
  INSERT INTO event_matches (event_id, tenant_id, verdicts)
  SELECT * FROM unnest($15::uuid[], $16::int[], $17::json[])
), asked AS MATERIALIZED (
  SELECT a.* FROM unnest($18::int[], $19::text[], $20::int[], $21::int[]) AS a (tenant_id, entity_type, wanted, most)
  ORDER BY a.tenant_id, a.entity_type
), locked AS MATERIALIZED (
  SELECT asked.*, w.used, w.episode_started_at FROM asked, LATERAL (
    SELECT used, episode_started_at FROM threshold_windows
    WHERE (tenant_id, entity_type) = (asked.tenant_id, asked.entity_type) FOR UPDATE
  ) AS w
), past AS MATERIALIZED (
  SELECT locked.tenant_id, locked.entity_type, u.second FROM locked, LATERAL (
    SELECT second FROM threshold_use
    WHERE (tenant_id, entity_type) = (locked.tenant_id, locked.entity_type)
      AND second <= date_trunc('second', now()) - interval '3600 seconds' OFFSET 0
  ) AS u
), dropped AS (
  DELETE FROM threshold_use u USING past
  WHERE (u.tenant_id, u.entity_type, u.second) = (past.tenant_id, past.entity_type, past.second)
  RETURNING u.tenant_id, u.entity_type, u.used
), leaving AS MATERIALIZED (
  SELECT tenant_id, entity_type, sum(used)::int AS used FROM dropped GROUP BY tenant_id, entity_type
), given AS MATERIALIZED (
  SELECT left_over.*, CASE WHEN episode_started_at IS NOT NULL THEN 0
    ELSE greatest(0, least(wanted, most - used)) END AS granted
  FROM (SELECT tenant_id, entity_type, wanted, most, episode_started_at, locked.used - coalesce((
          SELECT l.used FROM leaving l
          WHERE (l.tenant_id, l.entity_type) = (locked.tenant_id, locked.entity_type)), 0) AS used
        FROM locked) AS left_over
), granting AS (
  UPDATE threshold_windows w SET used = given.used + given.granted FROM given
  WHERE (w.tenant_id, w.entity_type) = (given.tenant_id, given.entity_type)
  RETURNING w.tenant_id, w.entity_type, given.granted
), counted AS (
  INSERT INTO threshold_use AS u (tenant_id, entity_type, second, used)
  SELECT tenant_id, entity_type, date_trunc('second', now()), granted FROM granting WHERE granted > 0
  ON CONFLICT (tenant_id, entity_type, second) DO UPDATE SET used = u.used + EXCLUDED.used
)
SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted, now() AS "countedAt" FROM granting
