-- Reads the attempt of a test, which is stored in the transaction that ends the test.
--
-- $1 uuid  callout
--
-- locks: none
-- indexes: attempts_callout_id_idx
SELECT started_at AS "startedAt", duration_ms AS "durationMs", url, status,
  response_headers AS "responseHeaders", failure FROM attempts
WHERE callout_id = $1 AND id >= $1 ORDER BY number LIMIT 1
