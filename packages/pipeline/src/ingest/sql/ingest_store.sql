-- Writes changed records, stores events and marks each as pending, in one statement. The sweep leaves pending events
-- alone for 5 seconds: the job in Redis comes first.
-- New records are inserted in their order. A transaction that inserts the same record is waited for; after its commit
-- the statement fails (23505), and the ingest starts over with the record that exists then.
-- Values come as JSON arrays of documents beside the rows: json_to_recordset would parse each document twice.
--
-- $1 json   records: an array of objects, see recordSet in store.ts
-- $2 jsonb  values of the records, an array of objects
-- $3 jsonb  values of their user-defined fields, likewise
-- $4 json   events: an array of objects, see eventSet in store.ts
-- $5 json   all known values of each event's record, an array of objects
-- $6 json   values of user-defined fields, likewise
--
-- locks: records (new ones; ingest_lock has the others)
-- indexes: records_pkey
WITH changed AS (
  SELECT * FROM ROWS FROM (
    json_to_recordset($1::json) AS (tenant_id int, entity_type text, id bigint, version bigint, is_deleted bool,
      is_new bool, folded jsonb, terms bigint[]),
    jsonb_array_elements($2::jsonb), jsonb_array_elements($3::jsonb)
  ) AS r (tenant_id, entity_type, id, version, is_deleted, is_new, folded, terms, fields, udf_fields)
), created AS (
  INSERT INTO records (tenant_id, entity_type, id, version, folded, terms, fields, udf_fields, deleted_at)
  SELECT tenant_id, entity_type, id, version, folded, terms, fields, udf_fields,
    CASE WHEN is_deleted THEN now() END
  FROM changed WHERE is_new ORDER BY 1, 2, 3
), kept AS (
  UPDATE records r SET version = c.version, fields = c.fields, udf_fields = c.udf_fields, folded = c.folded,
    terms = c.terms, deleted_at = CASE WHEN c.is_deleted THEN now() END
  FROM changed c
  WHERE NOT c.is_new AND (r.tenant_id, r.entity_type, r.id) = (c.tenant_id, c.entity_type, c.id)
), new AS MATERIALIZED (
  SELECT * FROM ROWS FROM (
    json_to_recordset($4::json) AS (id uuid, tenant_id int, entity_type text, record_id bigint, record_version bigint,
      action text, person_id int, event_key text, event_time timestamptz, trace_parent text, changed_fields text[],
      changed_udfs int[], previous json, characters int),
    json_array_elements($5::json), json_array_elements($6::json)
  ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, characters, fields, udf_fields)
), stored AS (
  INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, characters, fields, udf_fields)
  SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, characters, fields, udf_fields FROM new
)
INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
SELECT id, tenant_id, entity_type, record_id, record_version, now() + interval '5 seconds' FROM new
