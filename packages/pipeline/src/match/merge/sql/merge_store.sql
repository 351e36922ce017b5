-- Stores what a match has merged: callouts that end as merged; the new bodies of callouts that carry more now; those of
-- which nothing is left, which end; and which callouts may still change. merge_lock_tails and merge_lock_mergeable have
-- the locks.
--
-- $1 uuid[]     ids of merged callouts
-- $2 int[]      tenants
-- $3 bigint[]   keys of the webhooks
-- $4 bigint[]   sequence numbers
-- $5 uuid[]     events
-- $6 text[]     entity types
-- $7 bigint[]   records
-- $8 text[]     actions
-- $9 bigint[]   layouts; null: the body is stored
-- $10 text[]    bodies to be stored
-- $11 uuid[]    the callouts that carry them; null: nothing was left of what they carried
-- $12 uuid[]    callouts that carry more now
-- $13 text[]    their actions
-- $14 text[]    their bodies
-- $15 uuid[]    callouts of which nothing is left
-- $16 uuid      the lowest id of the last two lists
-- $17 uuid      the highest: with the bounds PostgreSQL looks into the partitions concerned only
-- $18 bigint[]  keys of the webhooks of callouts that may still change
-- $19 bigint[]  their records
-- $20 uuid[]    their ids
-- $21 int[]     their tenants
-- $22 int[]     the versions of the configurations that made them
-- $23 json      what they carry, as one array
-- $24 bigint[]  keys of the webhooks of records without such a callout now
-- $25 bigint[]  these records
--
-- moves: newCallout → merged, waiting → merged, held → merged, due → merged
-- locks: none (merge_lock_tails and merge_lock_mergeable have them)
-- indexes: callouts_pkey, mergeable_callouts_pkey, open_callouts_pkey
WITH new AS (
  SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[], $7::bigint[], $8::text[],
      $9::bigint[], $10::text[], $11::uuid[])
    AS c (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, layout_id, body,
      merged_into)
), merged AS (
  INSERT INTO callouts (id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, layout_id,
    state, finished_at, merged_into)
  SELECT id, tenant_id, webhook_key, sequence_number, event_id, entity_type, record_id, action, layout_id, 'merged', now(),
    merged_into
  FROM new
), more AS MATERIALIZED (
  SELECT * FROM unnest($12::uuid[], $13::text[], $14::text[]) AS c (id, action, body)
), bodies AS (
  INSERT INTO callout_bodies (callout_id, body)
  SELECT id, body FROM new WHERE body IS NOT NULL UNION ALL SELECT id, body FROM more
  ON CONFLICT (callout_id) DO UPDATE SET body = EXCLUDED.body
), changed AS (
  UPDATE callouts c SET layout_id = NULL, action = more.action FROM more
  WHERE c.id = more.id AND c.id = ANY($12::uuid[]) AND c.id BETWEEN $16 AND $17
    AND (c.layout_id IS NOT NULL OR c.action <> more.action)
), work AS (
  UPDATE open_callouts o SET action = more.action, body_bytes = octet_length(more.body) FROM more
  WHERE o.callout_id = more.id AND o.callout_id = ANY($12::uuid[])
), closed AS (
  DELETE FROM open_callouts WHERE callout_id = ANY($15::uuid[])
), stamped AS (
  UPDATE callouts SET state = 'merged', finished_at = now() WHERE id = ANY($15::uuid[]) AND id BETWEEN $16 AND $17
), dropped AS (
  DELETE FROM mergeable_callouts m USING unnest($24::bigint[], $25::bigint[]) AS d (webhook_key, record_id)
  WHERE m.webhook_key = d.webhook_key AND m.record_id = d.record_id
)
INSERT INTO mergeable_callouts AS m (webhook_key, record_id, callout_id, tenant_id, version, carried)
SELECT c.webhook_key, c.record_id, c.id, c.tenant_id, c.version, carried.value
FROM unnest($18::bigint[], $19::bigint[], $20::uuid[], $21::int[], $22::int[]) WITH ORDINALITY
    AS c (webhook_key, record_id, id, tenant_id, version, nth)
  JOIN json_array_elements($23::json) WITH ORDINALITY AS carried (value, nth) USING (nth)
ON CONFLICT (webhook_key, record_id)
  DO UPDATE SET callout_id = EXCLUDED.callout_id, version = EXCLUDED.version, carried = EXCLUDED.carried
