-- Opens ended callouts again. A callout that was due or held behind a reopened one of its record waits again.
--
-- $1 bigint  key of the webhook
-- $2 json    the callouts as they are to be, one object each
-- $3 uuid[]  open callouts that wait again
-- $4 uuid    the lowest id
-- $5 uuid    the highest id
--
-- moves: delivered → due, delivered → waiting, failed → due, failed → waiting, cancelled → due, cancelled → waiting, due → waiting, held → waiting
-- locks: none (repair_lock_ended and repair_lock_open_records have the callouts)
-- indexes: callouts_pkey, open_callouts_pkey
WITH new AS MATERIALIZED (
  SELECT * FROM json_to_recordset($2::json) AS c (id uuid, "tenantId" int, "entityType" text, "recordId" bigint,
    action text, "eventId" text, "sequenceNumber" bigint, state text, "dueAt" timestamptz, attempts int,
    "traceParent" text, "bodyBytes" int)
), overtaken AS (
  UPDATE open_callouts SET state = 'waiting' WHERE callout_id = ANY($3::uuid[])
), stamped AS (
  UPDATE callouts c SET state = 'open', finished_at = NULL, cancelled_lease = NULL
  WHERE c.id = ANY(ARRAY(SELECT id FROM new)) AND c.id BETWEEN $4 AND $5
)
INSERT INTO open_callouts (callout_id, tenant_id, webhook_key, entity_type, record_id, action, kind, event_id,
  sequence_number, state, due_at, attempts_made, attempts_before, is_redelivery, trace_parent, body_bytes)
SELECT id, "tenantId", $1, "entityType", "recordId", action, 'event', "eventId", "sequenceNumber", state,
  coalesce("dueAt", now()), attempts, attempts, true, "traceParent", "bodyBytes"
FROM new
