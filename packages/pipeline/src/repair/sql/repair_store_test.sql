-- Stores a test. A test has neither record nor number, so a test waits for no callout and no callout waits for a test.
--
-- $1 uuid    callout
-- $2 int     tenant
-- $3 bigint  key of the webhook
-- $4 text    entity type
-- $5 text    action
-- $6 text    body
--
-- moves: newCallout → due
-- locks: none
-- indexes: none
WITH history AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, entity_type, record_id, action, kind)
  VALUES ($1, $2, $3, 0, $4, 0, $5, 'test')
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body) VALUES ($1, $6)
)
INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, sequence_number,
  state, due_at, body_bytes)
VALUES ($1, $2, $3, $4, 0, $5, 'test', 0, 'due', now(), octet_length($6))
