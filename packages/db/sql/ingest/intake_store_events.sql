-- Stores events and marks each as pending. The sweep leaves them alone for 5 seconds: the job in Redis comes first.
-- Lists come as array literals in text, since unnest takes arrays of arrays apart. Documents come as one JSON array: as
-- elements of an array of PostgreSQL, each of their quotes would have to be escaped.
--
-- $1 uuid[]         ids
-- $2 int[]          tenants
-- $3 text[]         entity types
-- $4 bigint[]       records
-- $5 bigint[]       record versions
-- $6 text[]         actions
-- $7 int[]          acting resources
-- $8 text[]         eventIDs of the callers; null: none
-- $9 timestamptz[]  event times
-- $10 text[]        names of changed fields, as array literals
-- $11 text[]        ids of changed user-defined fields, as array literals
-- $12 json          all known values, an array of objects
-- $13 json          the same of user-defined fields
--
-- locks: none
-- indexes: none
WITH new AS (
  SELECT * FROM ROWS FROM (
    unnest($1::uuid[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::int[], $8::text[],
      $9::timestamptz[], $10::text[], $11::text[]),
    json_array_elements($12::json), json_array_elements($13::json)
  ) AS e (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    changed_fields, changed_udfs, fields, udf_fields)
), stored AS (
  INSERT INTO events (id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    changed_fields, changed_udfs, fields, udf_fields)
  SELECT id, tenant_id, entity_type, record_id, record_version, action, person_id, event_key, event_time,
    changed_fields::text[], changed_udfs::int[], fields, udf_fields FROM new
)
INSERT INTO pending_events (event_id, tenant_id, entity_type, record_id, record_version, enqueue_at)
SELECT id, tenant_id, entity_type, record_id, record_version, now() + interval '5 seconds' FROM new
