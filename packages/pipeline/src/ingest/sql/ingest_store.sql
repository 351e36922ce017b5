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
-- $6 jsonb[]         values that PostgreSQL cannot fold, folded; null: none
-- $7 text[]          terms for searches, as array literals; null: none
-- $8 jsonb           values, an array of objects
-- $9 jsonb           the same of user-defined fields
-- $10 uuid[]         ids of events
-- $11 int[]          tenants of the events
-- $12 text[]         entity types
-- $13 bigint[]       records
-- $14 bigint[]       record versions
-- $15 text[]         actions
-- $16 int[]          acting resources
-- $17 text[]         eventIDs of the callers; null: none
-- $18 timestamptz[]  event times
-- $19 text[]         traceparents of the requests that brought them; null: none
-- $20 text[]         names of changed fields, as array literals
-- $21 text[]         ids of changed user-defined fields, as array literals
-- $22 text[]         JSON of what the changed fields were before; null: not known
-- $23 json           all known values, an array of objects
-- $24 json           the same of user-defined fields
--
-- locks: none (ingest_lock has the records)
-- indexes: none
WITH kept AS (
  INSERT INTO records (tenant_id, entity_type, id, version, folded, terms, fields, udf_fields, deleted_at)
  SELECT tenant_id, entity_type, id, version, folded, terms::bigint[], fields, udf_fields,
    CASE WHEN is_deleted THEN now() END
  FROM ROWS FROM (
    unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bool[], $6::jsonb[], $7::text[]),
    jsonb_array_elements($8::jsonb), jsonb_array_elements($9::jsonb)
  ) AS r (tenant_id, entity_type, id, version, is_deleted, folded, terms, fields, udf_fields)
  ORDER BY 1, 2, 3
  ON CONFLICT (tenant_id, entity_type, id) DO UPDATE SET version = excluded.version, fields = excluded.fields,
    udf_fields = excluded.udf_fields, folded = excluded.folded, terms = excluded.terms, deleted_at = excluded.deleted_at
), new AS (
  SELECT * FROM ROWS FROM (
    unnest($10::uuid[], $11::int[], $12::text[], $13::bigint[], $14::bigint[], $15::text[], $16::int[], $17::text[],
      $18::timestamptz[], $19::text[], $20::text[], $21::text[], $22::text[]),
    json_array_elements($23::json), json_array_elements($24::json)
  ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, fields, udf_fields)
), stored AS (
  INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, fields, udf_fields)
  SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields::text[], changed_udfs::int[], previous::json, fields, udf_fields FROM new
)
INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
SELECT id, tenant_id, entity_type, record_id, record_version, now() + interval '5 seconds' FROM new
