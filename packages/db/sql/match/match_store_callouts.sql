-- Stores callouts, their bodies, and the work of delivering them; some with a lease already, as this process sends them
-- itself.
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
-- $12 json              bodies, an array of objects; their very text is stored
-- $13 double precision  how long the leases last, in ms from the begin of the transaction
--
-- locks: none
-- indexes: none
WITH new AS (
  SELECT * FROM ROWS FROM (
    unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::text[], $8::bigint[],
      $9::text[], $10::text[], $11::uuid[]),
    json_array_elements($12::json)
  ) AS c (id, tenant_id, webhook_key, sequence_number, event_id, public_event_id, entity_type, record_id, action, state,
    lease_owner, body)
), history AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action)
  SELECT id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action FROM new
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body) SELECT id, body::text FROM new
)
INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, event_id,
  sequence_number, state, due_at, lease_owner, lease_until)
SELECT id, tenant_id, webhook_key, entity_type, record_id, action, public_event_id, sequence_number, state, now(),
  lease_owner, CASE WHEN lease_owner IS NOT NULL THEN now() + $13 * interval '1 millisecond' END
FROM new
