-- Stores the results of a match in one statement: the verdicts of its events, which are pending no more; callouts,
-- the layouts of their bodies, and the work of delivering them, some with a lease already, as this process sends them
-- itself; and counts the leased callouts for the thresholds of their tenant and entity. match_take_numbers has locked the
-- windows.
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
-- $13 text[]            their traceparents; null: they were not traced
-- $14 int[]             bytes of their bodies
-- $15 bigint[]          layouts, with which bodies are made from events; null: the body is stored
-- $16 text[]            bodies to be stored
-- $17 double precision  how long the leases last, in ms from the begin of the transaction
-- $18 uuid[]            events that are matched
-- $19 int[]             their tenants
-- $20 json[]            their verdicts
-- $21 int[]             tenants whose thresholds are asked
-- $22 text[]            entity types
-- $23 int[]             how many first attempts
-- $24 int[]             the threshold of each
-- $25 bigint[]          keys of webhooks with layouts that may be new
-- $26 bigint[]          these layouts
-- $27 int[]             their tenants
-- $28 json[]            their content
--
-- moves: pending → matched, newCallout → due, newCallout → waiting
-- locks: none (match_take_numbers has the windows)
-- indexes: pending_events_pkey
WITH new AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::text[],
      $8::bigint[], $9::text[], $10::text[], $11::uuid[], $12::timestamptz[], $13::text[], $14::int[], $15::bigint[],
      $16::text[])
    AS c (id, tenant_id, webhook_key, sequence_number, event_id, public_event_id, entity_type, record_id, action, state,
      lease_owner, accepted_at, trace_parent, body_bytes, layout_id, body)
), history AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, layout_id)
  SELECT id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, layout_id FROM new
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body) SELECT id, body FROM new WHERE body IS NOT NULL
), layouts AS (
  INSERT INTO payload_layouts (webhook_key, id, tenant_id, layout)
  SELECT * FROM unnest($25::bigint[], $26::bigint[], $27::int[], $28::json[]) ON CONFLICT DO NOTHING
), work AS (
  INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
    sequence_number, state, due_at, lease_owner, lease_until, accepted_at, trace_parent, body_bytes)
  SELECT id, tenant_id, webhook_key, entity_type, record_id, action, public_event_id, sequence_number, state, now(),
    lease_owner, CASE WHEN lease_owner IS NOT NULL THEN now() + $17 * interval '1 millisecond' END, accepted_at,
    trace_parent, body_bytes
  FROM new
), matched AS (
  DELETE FROM pending_events WHERE event_id = ANY($18::uuid[])
), verdicts AS (
  INSERT INTO event_matches (event_id, tenant_id, verdicts)
  SELECT * FROM unnest($18::uuid[], $19::int[], $20::json[])
), wanted AS MATERIALIZED (
  SELECT * FROM unnest($21::int[], $22::text[], $23::int[], $24::int[]) AS w (tenant_id, entity_type, attempts, most)
  ORDER BY w.tenant_id, w.entity_type
)
SELECT tenant_id AS "tenantId", entity_type AS "entityType", granted, now() AS "countedAt"
FROM wanted, LATERAL grant_first_attempts(tenant_id, entity_type, attempts, most)
