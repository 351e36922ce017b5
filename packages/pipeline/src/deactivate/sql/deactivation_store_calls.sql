-- Stores deactivation calls. Their key of order is -1 in place of a record: an earlier call of the webhook goes first,
-- and nothing else waits for it. That call is locked, so a transaction that ends it sees this one.
--
-- $1 uuid[]    ids
-- $2 int[]     tenants
-- $3 bigint[]  keys of the webhooks
-- $4 bigint[]  sequence numbers
-- $5 text[]    entity types
-- $6 bigint[]  ids of the webhooks
-- $7 text[]    bodies
--
-- moves: newCallout → due, newCallout → waiting
-- locks: none
-- indexes: open_callouts_webhook_key_record_id_sequence_number_idx
WITH new AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[])
    AS c (id, tenant_id, webhook_key, sequence_number, entity_type, webhook_id, body)
), history AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
  SELECT id, tenant_id, webhook_key, sequence_number, entity_type, webhook_id, 'Deactivated', 'deactivation' FROM new
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body) SELECT id, body FROM new
)
INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
  state, due_at, body_bytes)
SELECT id, tenant_id, webhook_key, entity_type, -1, 'Deactivated', 'deactivation', sequence_number,
  CASE WHEN EXISTS (
    SELECT FROM open_callouts o WHERE o.webhook_key = new.webhook_key AND o.record_id = -1
  ) THEN 'waiting' ELSE 'due' END, now(), octet_length(body)
FROM new
