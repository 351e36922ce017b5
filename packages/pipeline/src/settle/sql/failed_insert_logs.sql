-- Stores error logs. An id is thousandths of the present millisecond, assigned in turn: it rises with time, since the
-- partitions are days of it.
--
-- $1 bigint[]  keys of the webhooks
-- $2 bigint[]  sequence numbers
-- $3 text[]    error messages
-- $4 text[]    bodies
--
-- locks: none
-- indexes: webhooks_pkey
INSERT INTO webhook_event_error_logs (id, tenant_id, owner_resource_id, entity_type, webhook_id, webhook_guid,
  sequence_number, error_message, payload)
SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint * 1000 + nextval('webhook_event_error_logs_serial'),
  w.tenant_id, w.owner_resource_id, w.entity_type, w.id, w.guid, l.sequence_number,
  l.error_message, l.payload
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])
    AS l (webhook_key, sequence_number, error_message, payload),
  LATERAL (SELECT * FROM webhooks WHERE key = l.webhook_key OFFSET 0) AS w
