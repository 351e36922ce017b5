-- Writes changed records, stores events and marks each as pending, in one statement. The sweep leaves pending events
-- alone for 5 seconds: the job in Redis comes first.
-- Documents come as one JSON array of each kind: as elements of PostgreSQL arrays, each of their quotes would have to
-- be escaped here and unescaped there, which costs more than all the rest of their processing. Lists come as array
-- literals in text, since unnest flattens arrays of arrays.
--
-- $1 int[]           tenants of records
-- $2 text[]          their entity types
-- $3 bigint[]        records
-- $4 bigint[]        their versions
-- $5 bool[]          whether each is deleted now
-- $6 json            values, an array of objects
-- $7 json            the same of user-defined fields
-- $8 jsonb           folded values for searches, an array of objects
-- $9 uuid[]          ids of events
-- $10 int[]          tenants of the events
-- $11 text[]         entity types
-- $12 bigint[]       records
-- $13 bigint[]       record versions
-- $14 text[]         actions
-- $15 int[]          acting resources
-- $16 text[]         eventIDs of the callers; null: none
-- $17 timestamptz[]  event times
-- $18 text[]         traceparents of the requests that brought them; null: none
-- $19 text[]         names of changed fields, as array literals
-- $20 text[]         ids of changed user-defined fields, as array literals
-- $21 json           all known values, an array of objects
-- $22 json           the same of user-defined fields
--
-- locks: none (intake_lock has the records)
-- indexes: none
WITH kept AS (
  INSERT INTO records (tenant_id, entity_type, id, version, fields, udf_fields, folded, deleted_at)
  SELECT tenant_id, entity_type, id, version, fields, udf_fields, folded, CASE WHEN is_deleted THEN now() END
  FROM ROWS FROM (
    unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bool[]),
    json_array_elements($6::json), json_array_elements($7::json), jsonb_array_elements($8::jsonb)
  ) AS r (tenant_id, entity_type, id, version, is_deleted, fields, udf_fields, folded)
  ORDER BY 1, 2, 3
  ON CONFLICT (tenant_id, entity_type, id) DO UPDATE SET version = excluded.version, fields = excluded.fields,
    udf_fields = excluded.udf_fields, folded = excluded.folded, deleted_at = excluded.deleted_at
), new AS (
  SELECT * FROM ROWS FROM (
    unnest($9::uuid[], $10::int[], $11::text[], $12::bigint[], $13::bigint[], $14::text[], $15::int[], $16::text[],
      $17::timestamptz[], $18::text[], $19::text[], $20::text[]),
    json_array_elements($21::json), json_array_elements($22::json)
  ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, fields, udf_fields)
), stored AS (
  INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, fields, udf_fields)
  SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields::text[], changed_udfs::int[], fields, udf_fields FROM new
)
INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
SELECT id, tenant_id, entity_type, record_id, record_version, now() + interval '5 seconds' FROM new
