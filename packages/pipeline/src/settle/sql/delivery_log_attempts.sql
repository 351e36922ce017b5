-- Stores attempts whose callouts are not to be written. The insert is that of delivery_settle.
--
-- $1 uuid[]         ids of the attempts
-- $2 uuid[]         their callouts
-- $3 int[]          tenants
-- $4 bigint[]       keys of the webhooks
-- $5 int[]          numbers, 1 for the first
-- $6 timestamptz[]  when they began
-- $7 int[]          how long they took, in ms
-- $8 text[]         URLs
-- $9 json[]         headers of the requests
-- $10 int[]         statuses
-- $11 json[]        headers of the answers
-- $12 bytea[]       bodies of the answers
-- $13 text[]        reasons of failures
-- $14 text[]        failures in words
-- $15 bigint[]      waits until the next attempts, in ms; null: none
--
-- locks: none
-- indexes: none
INSERT INTO attempts (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers,
  status, response_headers, response_body, failure_reason, failure, next_attempt_at)
SELECT id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
  response_headers, response_body, failure_reason, failure, now() + wait_ms * interval '1 millisecond'
FROM unnest(
  $1::uuid[], $2::uuid[], $3::int[], $4::bigint[], $5::int[], $6::timestamptz[], $7::int[], $8::text[],
  $9::json[], $10::int[], $11::json[], $12::bytea[], $13::text[], $14::text[], $15::bigint[]
)
  AS a (id, callout_id, tenant_id, webhook_key, number, started_at, duration_ms, url, request_headers, status,
    response_headers, response_body, failure_reason, failure, wait_ms)
