-- Writes changed records, stores events and marks each as pending, in one statement. The sweep leaves pending events
-- alone for 5 seconds: the job in Redis comes first.
-- New records are inserted in their order. Another transaction that inserts one of them is waited for; when it commits
-- this statement fails (23505), and the commit starts over with the record that exists then.
-- Documents come as one JSON array of each kind: as elements of PostgreSQL arrays, each of their quotes would have to
-- be escaped here and unescaped there, which costs more than all the rest of their processing. Lists come as array
-- literals in text, since unnest flattens arrays of arrays.
--
-- $1 int[]           tenants of records
-- $2 text[]          their entity types
-- $3 bigint[]        records
-- $4 bigint[]        their versions
-- $5 bool[]          whether each is deleted now
-- $6 bool[]          whether each is new
-- $7 jsonb[]         values that PostgreSQL cannot fold, folded; null: none
-- $8 text[]          terms for searches, as array literals; null: none
-- $9 jsonb           values, an array of objects
-- $10 jsonb          the same of user-defined fields
-- $11 uuid[]         ids of events
-- $12 int[]          tenants of the events
-- $13 text[]         entity types
-- $14 bigint[]       records
-- $15 bigint[]       record versions
-- $16 text[]         actions
-- $17 int[]          acting resources
-- $18 text[]         eventIDs of the callers; null: none
-- $19 timestamptz[]  event times
-- $20 text[]         traceparents of the requests that brought them; null: none
-- $21 text[]         names of changed fields, as array literals
-- $22 text[]         ids of changed user-defined fields, as array literals
-- $23 text[]         JSON of what the changed fields were before; null: not known
-- $24 int[]          characters of all values as JSON
-- $25 json           all known values, an array of objects
-- $26 json           the same of user-defined fields
--
-- locks: records (new ones; ingest_lock has the others)
-- indexes: records_pkey
WITH changed AS (
  SELECT * FROM ROWS FROM (
    unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[], $5::bool[], $6::bool[], $7::jsonb[], $8::text[]),
    jsonb_array_elements($9::jsonb), jsonb_array_elements($10::jsonb)
  ) AS r (tenant_id, entity_type, id, version, is_deleted, is_new, folded, terms, fields, udf_fields)
), created AS (
  INSERT INTO records (tenant_id, entity_type, id, version, folded, terms, fields, udf_fields, deleted_at)
  SELECT tenant_id, entity_type, id, version, folded, terms::bigint[], fields, udf_fields,
    CASE WHEN is_deleted THEN now() END
  FROM changed WHERE is_new ORDER BY 1, 2, 3
), kept AS (
  UPDATE records r SET version = c.version, fields = c.fields, udf_fields = c.udf_fields, folded = c.folded,
    terms = c.terms::bigint[], deleted_at = CASE WHEN c.is_deleted THEN now() END
  FROM changed c
  WHERE NOT c.is_new AND (r.tenant_id, r.entity_type, r.id) = (c.tenant_id, c.entity_type, c.id)
), new AS (
  SELECT * FROM ROWS FROM (
    unnest($11::uuid[], $12::int[], $13::text[], $14::bigint[], $15::bigint[], $16::text[], $17::int[], $18::text[],
      $19::timestamptz[], $20::text[], $21::text[], $22::text[], $23::text[], $24::int[]),
    json_array_elements($25::json), json_array_elements($26::json)
  ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, characters, fields, udf_fields)
), stored AS (
  INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields, changed_udfs, previous, characters, fields, udf_fields)
  SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    trace_parent, changed_fields::text[], changed_udfs::int[], previous::json, characters, fields, udf_fields FROM new
)
INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
SELECT id, tenant_id, entity_type, record_id, record_version, now() + interval '5 seconds' FROM new
